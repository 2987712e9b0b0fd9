'use client'

import { useId } from 'react'
import * as t from '#components/texts/settings-tenant/en.ts'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { type RiskTier, riskTiers } from '#lib/rules/risk.ts'

type TierBoxesProps = {
  chosen: readonly RiskTier[]
  onChange: (tiers: RiskTier[]) => void
  locked: boolean
}

const LABELS: Record<RiskTier, string> = {
  low: t.lowRisk,
  medium: t.mediumRisk,
  high: t.highRisk,
  critical: t.criticalRisk,
}

/** Checkboxes for the risk tiers whose approval requires the approver's passkey. */
export function TierBoxes({ chosen, onChange, locked }: TierBoxesProps) {
  const id = useId()
  return (
    <fieldset className="flex flex-col gap-2" aria-labelledby={id} aria-describedby={`${id}-hint`}>
      <legend id={id} className="mb-1.5 font-semibold text-dense">
        {t.passkeyRequiredToApprove}
      </legend>
      <p id={`${id}-hint`} className="text-dense text-ink-2">
        {t.approversDeviceSignsExactly}
      </p>
      {riskTiers.map((tier) => (
        <Checkbox
          key={tier}
          label={LABELS[tier]}
          checked={chosen.includes(tier)}
          onChange={(on) => onChange(riskTiers.filter((one) => (one === tier ? on : chosen.includes(one))))}
          locked={locked}
        />
      ))}
    </fieldset>
  )
}
