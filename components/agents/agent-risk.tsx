import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/agents/en.ts'
import { RiskBars, type RiskLevel } from '#components/ui/status/risk-bars.tsx'

const LEVELS: readonly RiskLevel[] = ['low', 'medium', 'high', 'critical']

/** The risk tier that an agent's manifest states; an unknown tier is shown as written. */
export function AgentRisk({ tier, boxed = false }: { tier: string | null; boxed?: boolean }) {
  if (tier === null) return <span className="text-ink-2">{t.riskNotStated}</span>
  const level = LEVELS.find((one) => one === tier)
  if (level !== undefined) return <RiskBars level={level} boxed={boxed} />
  return <span>{t.riskOf({ tier, shown: shownText })}</span>
}
