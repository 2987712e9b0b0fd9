import {
  type GetPromptResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Server,
} from '@modelcontextprotocol/server'
import { ApiError } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { execute } from '#server/kernel/operation.ts'
import { readShared } from './read-shared.ts'
import type { Serving } from './serving.ts'

/**
 * Serves the resources and prompts that the release lists. Lists name them and say nothing else: what their server writes about
 * them is not pinned.
 */
export function shareReleased(server: Server, { name, caller, server: from, served }: Serving): void {
  const { agentId, environment, resources, prompts } = served
  const read = async (kind: 'resource' | 'prompt', wanted: string, args: Record<string, string> = {}) => {
    const input = { agentId, environment, server: from, kind, name: wanted, arguments: args }
    return await execute(readShared, caller, input, { name }).catch((error: unknown): JsonObject => {
      if (error instanceof ApiError)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${error.code}: ${error.message}`)
      throw error
    })
  }
  if (resources.length > 0) {
    server.setRequestHandler('resources/list', () => ({ resources: resources.map((uri) => ({ uri, name: uri })) }))
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
    server.setRequestHandler(
      'resources/read',
      async ({ params }) => (await read('resource', params.uri)) as ReadResourceResult,
    )
  }
  if (prompts.length > 0) {
    server.setRequestHandler('prompts/list', () => ({ prompts: prompts.map((prompt) => ({ name: prompt })) }))
    server.setRequestHandler(
      'prompts/get',
      async ({ params }) => (await read('prompt', params.name, params.arguments)) as unknown as GetPromptResult,
    )
  }
}
