import { newId } from '#server/kernel/ids.ts'
import type { ModelCallRequest } from '#server/policies/decisions/request.ts'

/** A call of a model by a released agent in production. `changes` replace fields. */
export const modelCall = (
  agent: { id: string; name: string },
  changes: Partial<ModelCallRequest> = {},
): ModelCallRequest => ({
  agent: {
    id: agent.id,
    name: agent.name,
    version: '1',
    lifecycle: 'released',
    riskTier: null,
    allowedTools: [],
    requireApproval: [],
    approvals: { group: 'owners', quorum: 1, expiresAfterSeconds: 60 },
  },
  releaseId: newId(),
  releaseDigest: `sha256:${'0'.repeat(64)}`,
  environment: 'production',
  model: { provider: 'p', name: 'm' },
  arguments: { inputCharacters: 5 },
  toolCalls: 0,
  fulfilled: [],
  ...changes,
})
