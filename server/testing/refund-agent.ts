import { readFile } from 'node:fs/promises'
import { type Calls, payload } from './api.ts'

type Proposal = { approvalId: string }

/**
 * Creates a refund agent for the test, governed and released through the API by ci-pipeline and jonas. Returns its id. `change` is
 * applied to the text of the manifest; `rules` are added to the policy.
 */
export async function releaseRefundAgent(
  api: Calls,
  name: string,
  { change, rules }: { change?: (manifest: string) => string; rules?: string } = {},
): Promise<string> {
  const ci = await api.client('ci-pipeline')
  const agentId = await registerRefundAgent(api, name, change)
  const binding = await bindingFor(api, agentId, name, rules)
  await approve(api, payload<Proposal>(await api.mutate(ci, 'policyBindings.propose', binding)).approvalId)
  const release = { agentId, version: '1.4.0', environment: 'production' }
  await approve(api, payload<Proposal>(await api.mutate(ci, 'releases.propose', release)).approvalId)
  return agentId
}

export async function registerRefundAgent(
  api: Calls,
  name: string,
  change = (manifest: string): string => manifest,
): Promise<string> {
  const yaml = change(await refundManifest(name))
  return payload<{ agentId: string }>(await api.mutate(await api.client('ci-pipeline'), 'agents.create', { yaml }))
    .agentId
}

export const refundManifest = async (name: string): Promise<string> => {
  const text = await readFile(new URL('../demo/refund-assistant.yaml', import.meta.url), 'utf8')
  return text.replace('name: refund-assistant', `name: ${name}`)
}

/** Publishes the demo's policy under the test's name. */
export async function bindingFor(api: Calls, agentId: string, name: string, more = '') {
  const ci = await api.client('ci-pipeline')
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await api.request(ci, path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer.body as { id: string; version: number }
  }
  const source = await readFile(new URL('../demo/refund-policy.cedar', import.meta.url), 'utf8')
  const policy = await post('/v1/policies', { name: `${name}-policy` })
  const { version } = await post(`/v1/policies/${policy.id}/versions`, { source: `${source}${more}` })
  await post(`/v1/policies/${policy.id}/versions/${version}/publish`, {})
  return { agentId, environment: 'production', policyId: policy.id, policyVersion: version, mode: 'enforce' }
}

export async function approve(api: Calls, approvalId: string, username = 'jonas'): Promise<void> {
  const input = { approvalId, decision: 'approve', decisionAcknowledged: true, reason: 'Read and found right.' }
  payload(await api.mutate(await api.person(username), 'approvals.decide', input))
}
