/** The trace or the execution that a pasted text names: an id, or an address of its page. */
export type Pasted = { traceId: string } | { executionId: string }

const trace = /(?:^|\/traces\/)([0-9a-f]{32})(?:$|[/?#])/i
const execution = /(?:^|\/executions\/)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:$|[/?#])/i

/** Returns undefined for a text that is neither. */
export function pastedId(text: string): Pasted | undefined {
  const traceId = trace.exec(text.trim())?.[1]
  if (traceId !== undefined) return { traceId: traceId.toLowerCase() }
  const executionId = execution.exec(text.trim())?.[1]
  return executionId === undefined ? undefined : { executionId: executionId.toLowerCase() }
}
