"""Times as people write them: dates, hours, named events, seasons, times around a moment."""
