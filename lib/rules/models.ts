import type { AgentSpec, Model } from '#lib/schemas/manifest.ts'

/** Reserved server names under which policies see calls of models and agents; a manifest can't use them for its own servers. */
export const reservedServers = ['model', 'agent'] as const

/** The models that a manifest may call; steps refer to `name` in `model.use`. */
export function modelsOf({ runtime, models }: AgentSpec): (Model & { name: string })[] {
  const chat = runtime.chat === undefined ? [] : [{ ...runtime.chat, name: 'chat' }]
  return [...chat, ...(models ?? [])]
}

/** Why the manifest's model calls can't be governed, or undefined. */
export function whyNotBudgeted(spec: AgentSpec): string | undefined {
  const models = modelsOf(spec)
  const asks = (spec.runtime.steps ?? []).flatMap((step) =>
    'model' in step && typeof step.model === 'object' && step.model !== null
      ? [(step.model as { use?: string }).use]
      : [],
  )
  for (const use of asks)
    if (use === undefined ? models.length === 0 : !models.some((model) => model.name === use))
      return use === undefined
        ? 'A step calls a model, but spec.models is empty.'
        : `The model ${use} is not in spec.models.`
  const limit = spec.limits.maxCost
  if (limit === undefined) return undefined
  const unpriced = models.find((model) => model.prices === undefined)
  if (unpriced !== undefined) return `limits.maxCost needs prices for ${unpriced.model}. Add its prices.`
  const other = models.find((model) => model.prices?.currency !== limit.currency)
  return other === undefined
    ? undefined
    : `Give the prices of ${other.model} in ${limit.currency}, the currency of limits.maxCost.`
}
