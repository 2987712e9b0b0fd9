/** What the editor begins with: sound under any tools, and nothing happens under it without a person. */
export const FIRST_TEXT = `// What no rule permits is denied.

@id("allow-listed-tools")
permit (
  principal,
  action in Countersign::Action::"ToolCall",
  resource
)
when { principal.allowedTools.contains(resource) };

@id("calls-need-approval")
@obligation("approval")
@message("A person decides each call of a tool.")
forbid (
  principal,
  action in Countersign::Action::"ToolCall",
  resource
)
unless { context.fulfilled.contains("approval:calls-need-approval") };
`
