import { createHash } from 'node:crypto'
import { canonicalJson } from '#lib/jcs.ts'
import { modelsOf } from '#lib/rules/models.ts'
import type { Model } from '#lib/schemas/manifest.ts'
import { runtimeSchema, runtimeServer } from '#server/policies/language/runtime-schema.ts'
import type { ReleaseContent, ReleasedTool } from '#server/releases/content.ts'

// Calls to models and external runtimes are decided, approved, journaled and recorded like tool calls. They are represented as
// tools of two reserved servers: `model`, and `agent` for an external runtime.

export type CallKind = 'tool' | 'model' | 'agent'

export const callKind = (tool: { server: string }): CallKind =>
  tool.server === 'model' ? 'model' : tool.server === runtimeServer ? 'agent' : 'tool'

/** The tool that the release allows under this name, or undefined. */
export function releasedTool(
  content: ReleaseContent,
  wanted: { server: string; name: string },
): ReleasedTool | undefined {
  switch (callKind(wanted)) {
    case 'model': {
      const model = modelNamed(content, wanted.name)
      return model && pseudoTool('model', wanted.name, `Ask ${model.model}`, model.endpoint, true, 'read')
    }
    case 'agent': {
      const { http, a2a } = content.spec.runtime
      if (a2a !== undefined && wanted.name === 'a2a')
        return pseudoTool('agent', 'a2a', `Call ${new URL(a2a.card).host}`, a2a.card, false, 'write')
      if (http === undefined || wanted.name !== 'http') return undefined
      return pseudoTool(runtimeServer, 'http', `Call ${new URL(http.url).host}`, http.url, http.idempotent, 'write')
    }
    case 'tool':
      return content.tools.find((tool) => tool.server === wanted.server && tool.name === wanted.name)
  }
}

export const modelNamed = (content: ReleaseContent, name: string): Model | undefined =>
  modelsOf(content.spec).find((model) => model.model === name)

/** The provider of every model in policies, since only the protocol is known. */
export const modelProvider = 'openai-compatible'

/** The models that a policy sees in `allowedModels`. */
export const allowedModels = ({ spec }: ReleaseContent): string[] => [
  ...new Set(modelsOf(spec).map((model) => `${modelProvider}/${model.model}`)),
]

/** The entries of `allowedTools` in policies for external runtimes. */
export const allowedAgents = ({ spec }: ReleaseContent): string[] =>
  (['http', 'a2a'] as const).flatMap((kind) => (spec.runtime[kind] === undefined ? [] : [`agent/${kind}`]))

function pseudoTool(
  server: string,
  name: string,
  title: string,
  address: string,
  idempotent: boolean,
  sideEffect: ReleasedTool['sideEffect'],
): ReleasedTool {
  const digest = createHash('sha256').update(canonicalJson({ server, name, address })).digest('hex')
  return {
    server,
    name,
    title,
    description: '',
    inputSchema: runtimeSchema,
    sideEffect,
    idempotent,
    digest: `sha256:${digest}`,
  }
}
