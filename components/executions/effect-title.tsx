import { formatMoney } from '#components/language/formats.ts'
import * as t from '#components/texts/execution-rows/en.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'

type Titled = Pick<ExecutionSummary, 'effect' | 'agentDisplayName' | 'environment'>

/** What the execution does, or which agent runs if that is not known. */
export const titleOf = ({ effect, agentDisplayName, environment }: Titled): string =>
  effect?.title ?? t.agentIn({ agentDisplayName, environment })

export const EffectTitle = ({ execution }: { execution: Titled }) => <ShownText>{titleOf(execution)}</ShownText>

/** The amount of the effect, to be aligned right. */
export function EffectAmount({ effect }: Pick<ExecutionSummary, 'effect'>) {
  if (effect === null || effect.amount === null) return null
  return (
    <span className="whitespace-nowrap font-semibold tabular-nums">
      {formatMoney(effect.amount.value, effect.amount.currency)}
    </span>
  )
}
