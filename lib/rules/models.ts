import type { AgentSpec, Model } from '#lib/schemas/manifest.ts'

/** Server names under which policies see what is not a tool server's: a manifest can't give them to one of its own. */
export const reservedServers = ['model', 'agent'] as const

/** The models that a manifest may call; `name` is what a step says in `model.use`. */
export function modelsOf({ runtime, models }: AgentSpec): (Model & { name: string })[] {
  const chat = runtime.chat === undefined ? [] : [{ ...runtime.chat, name: 'chat' }]
  return [...chat, ...(models ?? [])]
}

/** Why the manifest's calls of models can't be governed, or undefined. */
export function whyNotBudgeted(spec: AgentSpec): string | undefined {
  const models = modelsOf(spec)
  const asks = (spec.runtime.steps ?? []).flatMap((step) =>
    'model' in step && typeof step.model === 'object' && step.model !== null
      ? [(step.model as { use?: string }).use]
      : [],
  )
  for (const use of asks)
    if (use === undefined ? models.length === 0 : !models.some((model) => model.name === use))
      return use === undefined ? 'A step asks a model, and spec.models names none.' : `spec.models names no ${use}.`
  const limit = spec.limits.maxCost
  if (limit === undefined) return undefined
  const unpriced = models.find((model) => model.prices === undefined)
  if (unpriced !== undefined)
    return `limits.maxCost needs the prices of ${unpriced.model}, or nothing could be held against it.`
  const other = models.find((model) => model.prices?.currency !== limit.currency)
  return other === undefined ? undefined : `The prices of ${other.model} are not in ${limit.currency}.`
}
