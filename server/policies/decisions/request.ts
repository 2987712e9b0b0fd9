import type { EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs'
import type { JsonObject } from '#lib/json.ts'
import type { ApprovalTerms } from '#lib/rules/approval-terms.ts'
import type { SensitivePath } from '#lib/rules/mask.ts'
import { Lru } from '#server/policies/engine/lru.ts'
import type { CedarRequest } from '#server/policies/engine/terms.ts'
import { argumentTypeOf, type RecordType } from '#server/policies/language/argument-types.ts'
import { type TypedArguments, typedArguments } from '#server/policies/language/argument-values.ts'
import { jsonMisfit } from '#server/policies/language/json-misfit.ts'
import { toolId as idOf } from '#server/policies/language/typed-schema.ts'

/** Common to all governed calls: the agent, the environment and what happened before. */
type Call = {
  agent: {
    id: string
    name: string
    version: string
    lifecycle: 'released'
    riskTier: string | null
    /** Tools are named `server/tool`, models `provider/model`. */
    allowedTools: string[]
    allowedModels?: string[]
    /** Tools for which the manifest itself requires an approval. */
    requireApproval: string[]
    /** The manifest's terms. `stricter`: rules can't weaken them, which they could in requests recorded without it. */
    approvals: ApprovalTerms & { stricter?: true }
    /** The manifest's `data.sensitive`, referred to by @mask_classes. */
    sensitive?: SensitivePath[]
  }
  releaseId: string
  releaseDigest: string
  environment: string
  /** Recorded and part of the input digest. A policy sees the arguments that the tool's schema declares, with their types. */
  arguments: JsonObject
  /** Absent for an external agent. */
  executionId?: string
  stepId?: string
  /** The member who made the request on behalf of an external agent. */
  requestedBy?: string
  /** Tool calls that the execution has already made. */
  toolCalls: number
  /** No one is asked to approve arguments of other JSON types than the tool declares. Absent in requests recorded without it. */
  exact?: true
  /** Tokens of granted approvals of exactly this request: `approval.tokens` of the decision that required them. */
  fulfilled: string[]
}

/** A tool call that an agent wants to make, with everything a policy may read. */
export type ToolCallRequest = Call & {
  tool: {
    server: string
    name: string
    sideEffect: 'none' | 'read' | 'write' | 'irreversible'
    idempotent: boolean
    /** As pinned by the release. Without a schema, a rule that reads arguments cannot be evaluated, and the call is denied. */
    inputSchema?: JsonObject
    digest?: string
  }
}

/** A request to a model; its `arguments` are `{inputCharacters, maxOutputTokens?}`. */
export type ModelCallRequest = Call & {
  model: { provider: string; name: string }
  /** The most the call can use; absent when unknown. `cost` requires prices. */
  most?: { tokens: number; cost?: { amount: string; currency: string } }
}

export type GovernedRequest = ToolCallRequest | ModelCallRequest

export const actionOf = (request: GovernedRequest): 'ToolCall' | 'ModelCall' =>
  'tool' in request ? 'ToolCall' : 'ModelCall'
export const resourceOf = (request: GovernedRequest): string =>
  'tool' in request ? idOf(request.tool) : `${request.model.provider}/${request.model.name}`

const modelArguments: RecordType = {
  kind: 'Record',
  members: new Map([
    ['inputCharacters', { type: { kind: 'Long' }, required: true }],
    ['maxOutputTokens', { type: { kind: 'Long' }, required: false }],
  ]),
}

// A pure function of the schema, cached by its digest.
const types = new Lru<RecordType>(500)

function argumentsOf(request: GovernedRequest): TypedArguments {
  if ('model' in request) return typedArguments(modelArguments, request.arguments)
  const { inputSchema, digest } = request.tool
  if (inputSchema === undefined) return { values: {}, misfit: 'the tool has no schema' }
  const known = digest === undefined ? undefined : types.get(digest)
  const type = known ?? argumentTypeOf(inputSchema)
  if (known === undefined && digest !== undefined) types.set(digest, type, 1)
  return typedArguments(type, request.arguments)
}

/** What the tool can only refuse, in a request that is about to be shown to people. */
export const misfitToShow = (request: GovernedRequest): string | undefined =>
  request.exact === true && 'tool' in request && request.tool.inputSchema !== undefined
    ? jsonMisfit(request.tool.inputSchema, request.arguments)
    : undefined

const entity = (type: string, id: string): TypeAndId => ({ type: `Countersign::${type}`, id })
const reference = (type: string) => (id: string) => ({ __entity: entity(type, id) })

/** The request in terms of schema.cedarschema, with only the entities that it needs. */
export function cedarRequest(
  request: GovernedRequest,
  now: Date,
): { request: CedarRequest; misfit: string | undefined } {
  const { agent } = request
  const principal = entity('Agent', agent.name)
  const { values, misfit } = argumentsOf(request)
  const { action, resource, entities } = 'tool' in request ? toolPart(request) : modelPart(request)
  return {
    misfit,
    request: {
      principal,
      action,
      resource,
      context: {
        call: {
          now: { __extn: { fn: 'datetime', arg: now.toISOString() } },
          ...(request.executionId === undefined ? {} : { executionId: request.executionId }),
          ...(request.stepId === undefined ? {} : { stepId: request.stepId }),
          counters: { toolCalls: request.toolCalls },
        },
        env: { name: request.environment },
        arguments: values,
      },
      entities: [
        {
          uid: principal,
          attrs: {
            version: agent.version,
            release: request.releaseDigest,
            lifecycle: agent.lifecycle,
            ...(agent.riskTier === null ? {} : { riskTier: agent.riskTier }),
            allowedTools: agent.allowedTools.map(reference('Tool')),
            allowedModels: (agent.allowedModels ?? []).map(reference('Model')),
          },
          parents: [],
        },
        ...entities,
      ],
    },
  }
}

type Part = { action: TypeAndId; resource: TypeAndId; entities: EntityJson[] }

function toolPart({ tool }: ToolCallRequest): Part {
  const { server, name, sideEffect, idempotent } = tool
  const action = entity('Action', idOf(tool))
  const resource = entity('Tool', idOf(tool))
  return {
    action,
    resource,
    entities: [
      { uid: action, attrs: {}, parents: [entity('Action', 'ToolCall')] },
      { uid: resource, attrs: { server, name, sideEffect, idempotent }, parents: [entity('ToolServer', server)] },
    ],
  }
}

function modelPart({ model }: ModelCallRequest): Part {
  const resource = entity('Model', `${model.provider}/${model.name}`)
  return {
    action: entity('Action', 'ModelCall'),
    resource,
    entities: [{ uid: resource, attrs: { ...model }, parents: [entity('ModelProvider', model.provider)] }],
  }
}
