import type { EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs'
import type { JsonObject } from '#lib/json.ts'
import type { CedarRequest } from './engine.ts'

/** One tool call that an agent wants to make, with all that a policy may know of it. Tools are named `server/tool`. */
export type ToolCallRequest = {
  agent: {
    id: string
    name: string
    version: string
    lifecycle: 'released'
    riskTier: string | null
    allowedTools: string[]
    /** Tools for which the manifest itself asks for an approval, and how. */
    requireApproval: string[]
    approvals: { group: string; quorum: number; expiresAfterSeconds: number }
  }
  releaseId: string
  releaseDigest: string
  environment: string
  tool: {
    server: string
    name: string
    sideEffect: 'none' | 'read' | 'write' | 'irreversible'
    idempotent: boolean
  }
  /** Recorded and part of the input digest; no policy sees them yet (docs/decisions/0002). */
  arguments: JsonObject
  executionId: string
  stepId: string
  /** Tool calls that the execution has already made. */
  toolCalls: number
  /** What granted approvals of exactly this request lift: `approval.tokens` of the decision that asked for them. */
  fulfilled: string[]
}

const toolId = (id: string): TypeAndId => ({ type: 'Countersign::Tool', id })

/** The request as schema.cedarschema describes it, with only the entities that it needs. */
export function cedarRequest({ agent, tool, ...call }: ToolCallRequest, now: Date): CedarRequest {
  const principal = { type: 'Countersign::Agent', id: agent.name }
  const resource = toolId(`${tool.server}/${tool.name}`)
  const server = { type: 'Countersign::ToolServer', id: tool.server }
  const entities: EntityJson[] = [
    {
      uid: principal,
      attrs: {
        version: agent.version,
        release: call.releaseDigest,
        lifecycle: agent.lifecycle,
        ...(agent.riskTier === null ? {} : { riskTier: agent.riskTier }),
        allowedTools: agent.allowedTools.map((id) => ({ __entity: toolId(id) })),
      },
      parents: [],
    },
    { uid: resource, attrs: { ...tool }, parents: [server] },
    { uid: server, attrs: {}, parents: [] },
  ]
  return {
    principal,
    action: { type: 'Countersign::Action', id: 'ToolCall' },
    resource,
    context: {
      call: {
        now: { __extn: { fn: 'datetime', arg: now.toISOString() } },
        executionId: call.executionId,
        stepId: call.stepId,
        counters: { toolCalls: call.toolCalls },
      },
      env: { name: call.environment },
    },
    entities,
  }
}
