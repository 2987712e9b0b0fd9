import { RiskBars, type RiskLevel } from '#components/ui/status/risk-bars.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'

const LEVELS: readonly RiskLevel[] = ['low', 'medium', 'high', 'critical']

/** The risk tier that an agent's manifest states; an unknown tier is shown as written. */
export function AgentRisk({ tier, boxed = false }: { tier: string | null; boxed?: boolean }) {
  if (tier === null) return <span className="text-ink-2">Risk not stated</span>
  const level = LEVELS.find((one) => one === tier)
  if (level !== undefined) return <RiskBars level={level} boxed={boxed} />
  return (
    <span>
      Risk: <ShownText>{tier}</ShownText>
    </span>
  )
}
