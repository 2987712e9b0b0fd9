import { ApiError } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { JsonObject as JsonObjectSchema } from '#lib/schemas/common.ts'
import { GatewayReadInput } from '#lib/schemas/gateway.ts'
import { type ToolServer, toolServerOf } from '#server/agents/tool-server.ts'
import { withServer } from '#server/agents/tool-servers.ts'
import { systemActor } from '#server/kernel/audit/append.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { preparedMutation, refuse } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findReleased } from '#server/releases/released-store.ts'
import { ofApprovedRelease } from '#server/secrets/use-value.ts'
import { requireReach } from './require-reach.ts'

/** Milliseconds, and bytes of an answer. */
const patience = 30_000
const maxBytes = 1024 * 1024

type Input = Pick<Caller, 'tenant' | 'principal'> & { input: typeof GatewayReadInput._output }

/**
 * Reads a resource, or gets a prompt, that the manifest of the release lists. No policy decides it: people approved the list
 * with the release. Each read is recorded.
 */
export const readShared = preparedMutation({
  permission: 'execution:start',
  connectionTokens: 'gateway',
  input: GatewayReadInput,
  output: JsonObjectSchema,
  audit: ({ agentId, environment, server, kind, name }) => ({
    action: `${kind}.read`,
    resource: { type: 'agent', id: agentId },
    details: { environment, server, name, via: 'mcp' },
  }),
  prepare: async (context): Promise<Prepared> => {
    const allowed = await releasedServer(context)
    return typeof allowed === 'string' ? { refused: allowed } : { answer: await ask(context, allowed) }
  },
  run: ({ prepared }) => {
    if ('refused' in prepared) throw refuse('forbidden', prepared.refused)
    return Promise.resolve(prepared.answer)
  },
})

type Prepared = { refused: string } | { answer: JsonObject }

/** The server to ask, or why it is not asked. */
const releasedServer = ({ tenant, principal, input }: Input) =>
  runtime().database.inTenant(tenant.id, async (tx) => {
    const { agentId, environment } = input
    const { agent, release } = await findReleased(tx, { tenantId: tenant.id, agentId, environment })
    requireReach(principal, agent?.name)
    if (agent === undefined || agent.status === 'suspended' || agent.status === 'retired')
      return 'The agent may not run.'
    if (release === undefined) return `No approved release of the agent is active in ${environment}.`
    const { spec } = release.content
    const listed = spec.tools.some(
      ({ mcp, local, allowResources = [], allowPrompts = [] }) =>
        mcp.server === input.server &&
        local === undefined &&
        (input.kind === 'resource' ? allowResources : allowPrompts).includes(input.name),
    )
    return listed ? toolServerOf(spec, input.server) : `The release does not list the ${input.kind} ${input.name}.`
  })

async function ask({ tenant, input }: Input, server: ToolServer): Promise<JsonObject> {
  const { kind, name, arguments: args } = input
  const answer = await withServer(
    tenant,
    server,
    ofApprovedRelease(systemActor),
    async (client): Promise<object> =>
      kind === 'resource'
        ? await client.readResource({ uri: name }, { timeout: patience })
        : await client.getPrompt({ name, arguments: args }, { timeout: patience }),
  ).catch((cause: unknown) => {
    if (cause instanceof ApiError) throw cause
    throw new ApiError('not_ready', `The server ${input.server} did not return the ${kind}.`, { cause })
  })
  const text = JSON.stringify(answer)
  if (Buffer.byteLength(text) > maxBytes)
    throw new ApiError('not_ready', `The ${kind} is larger than ${maxBytes} bytes.`)
  const value: JsonObject = JSON.parse(text)
  return value
}
