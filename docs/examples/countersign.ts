// Asks Countersign before a tool of the agent runs. The token needs execution:start and approval:list (the role developer).
const { COUNTERSIGN_URL, COUNTERSIGN_TOKEN, AGENT_ID } = process.env
async function ask(operation: string, input: object) {
  const response = await fetch(`${COUNTERSIGN_URL}/v1/${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${COUNTERSIGN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ json: input }),
  })
  const body = await response.json()
  if (!response.ok) throw new Error(body.error.json.message)
  return body.result.data.json
}
/** Runs a local tool with the arguments that the policies allow. Waits for people where they must approve the call. */
export const governed =
  <Input extends object>(tool: string, run: (input: Input) => Promise<string>) =>
  async (input: Input): Promise<string> => {
    const call = { agentId: AGENT_ID, environment: 'production', resource: `local/${tool}`, arguments: input }
    let decision = await ask('policies.evaluate', call)
    if (decision.effect === 'require_approval') {
      const { approvalId } = await ask('approvals.request', call)
      let status = 'pending'
      while (status === 'pending') {
        await new Promise((resolve) => setTimeout(resolve, 1000))
        status = (await ask('approvals.get', { approvalId })).status
      }
      if (status !== 'approved') return `Denied: the request was ${status}.`
      decision = await ask('policies.evaluate', { ...call, approvalId })
    }
    return decision.effect === 'allow' ? await run(decision.arguments) : `Denied: ${decision.reasons[0]?.message}`
  }
