/** The initial text of the editor. It is valid with any tools, and every call of a tool requires approval under it. */
export const FIRST_TEXT = `// Calls that no rule permits are denied.

@id("allow-listed-tools")
permit (
  principal,
  action in Countersign::Action::"ToolCall",
  resource
)
when { principal.allowedTools.contains(resource) };

@id("calls-need-approval")
@obligation("approval")
@message("Every tool call requires approval.")
forbid (
  principal,
  action in Countersign::Action::"ToolCall",
  resource
)
unless { context.fulfilled.contains("approval:calls-need-approval") };
`
