"""What a pipeline is: the template, what can be wrong with it, the plan, and one planned step."""
