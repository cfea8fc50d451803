"use strict";
// Draws a figure of helio in its page. The page and this file ask nobody for anything.
(() => {
  const page = document.getElementById.bind(document);

  function say(text) {
    const line = document.createElement("p");
    line.textContent = text;
    page("figure").replaceChildren(line);
  }

  function load(address) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = resolve;
      script.onerror = () => reject(new Error(`The file ${decodeURIComponent(address)} is missing`));
      document.head.append(script);
    });
  }

  window.helioFigure = async (figure) => {
    try {
      if (!window.Plotly) await load(window.helioLibrary);
    } catch (error) {
      say(`${error.message}: it belongs there, as seen from the folder of this page.`);
      return;
    }
    const config = {responsive: true, displaylogo: false, showSendToCloud: false};
    await Plotly.newPlot("figure", figure.data, figure.layout, config);
  };
})();
