import { call, decideAs, personToken } from './cases.ts'

export const environment = 'production'

/** Registers a manifest as Maria. Returns the agent's id. */
export const register = async (origin: string, yaml: string, slug = 'northwind'): Promise<string> => {
  const maria = await personToken(origin, 'maria', slug)
  return (await call<{ agentId: string }>(origin, maria, 'mutation', 'agents.create', { yaml })).agentId
}

export const demoPolicy = async (origin: string): Promise<string> => {
  const maria = await personToken(origin, 'maria')
  const { items } = await call<{ items: { id: string; name: string }[] }>(origin, maria, 'query', 'policies.list', {
    limit: 200,
  })
  return items.find(({ name }) => name === 'refund-policy')?.id ?? ''
}

/** Proposes a release as Maria. Returns the id of the approval request. */
export async function proposeBinding(origin: string, agentId: string): Promise<string> {
  const binding = { agentId, environment, policyId: await demoPolicy(origin), policyVersion: 1, mode: 'enforce' }
  const maria = await personToken(origin, 'maria')
  return (await call<{ approvalId: string }>(origin, maria, 'mutation', 'policyBindings.propose', binding)).approvalId
}

export async function proposeRelease(origin: string, agentId: string, version = '1'): Promise<string> {
  const maria = await personToken(origin, 'maria')
  const release = { agentId, version, environment }
  return (await call<{ approvalId: string }>(origin, maria, 'mutation', 'releases.propose', release)).approvalId
}

/** Registers an agent for one test, with the demo's policy, and releases it. Jonas approves both. */
export async function releasedAgent(origin: string, yaml: string): Promise<string> {
  const agentId = await register(origin, yaml)
  for (const propose of [proposeBinding, proposeRelease])
    await decideAs(origin, 'jonas', await propose(origin, agentId), 'approve', 'Only to be tried out.')
  return agentId
}

export const startAs = async (origin: string, agentId: string, input: unknown = {}): Promise<string> => {
  const maria = await personToken(origin, 'maria')
  const start = { agentId, environment, input }
  return (await call<{ executionId: string }>(origin, maria, 'mutation', 'executions.execute', start)).executionId
}

/** A flow that reads one payment's order and ends. */
export const readerManifest = (name: string): string => `metadata:
  name: ${name}
spec:
  runtime:
    steps:
      - { id: order, tool: { server: payments, name: lookup_order, arguments: { id: "\${input.orderId}" } } }
  tools:
    - mcp: { server: payments }
      allow: [lookup_order]
`

/** A flow that waits for an input, and requests it by mail. */
export const askingManifest = (name: string, ask: string): string => `metadata:
  name: ${name}
spec:
  runtime:
    steps:
      - { id: ok, wait: { input: confirmation } }
  inputs: [{ name: confirmation, ttl: PT1H, ask: ${ask} }]
`

/** A flow that makes one refund, of the order and the amount in its input, with other terms of its approval. */
export const refundManifest = (name: string, { approvals = {} }: { approvals?: object } = {}): string =>
  JSON.stringify({
    metadata: { name },
    spec: {
      runtime: {
        steps: [
          {
            id: 'refund',
            tool: {
              server: 'payments',
              name: 'issue_refund',
              arguments: { id: `\${input.id}`, amount: `\${input.amount}`, currency: 'EUR' },
            },
          },
        ],
      },
      tools: [{ mcp: { server: 'payments' }, allow: ['issue_refund'], requireApproval: ['issue_refund'] }],
      governance: { approvals: { group: 'refund-approvers', quorum: 1, expiresAfter: 'P7D', ...approvals } },
    },
  })
