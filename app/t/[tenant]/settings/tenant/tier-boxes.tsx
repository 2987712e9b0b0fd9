'use client'

import { useId } from 'react'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { type RiskTier, riskTiers } from '#lib/rules/risk.ts'

type TierBoxesProps = {
  chosen: readonly RiskTier[]
  onChange: (tiers: RiskTier[]) => void
  locked: boolean
}

const LABELS: Record<RiskTier, string> = {
  low: 'Low risk',
  medium: 'Medium risk',
  high: 'High risk',
  critical: 'Critical risk',
}

/** Checkboxes for the risk tiers whose approval requires the approver's passkey. */
export function TierBoxes({ chosen, onChange, locked }: TierBoxesProps) {
  const id = useId()
  return (
    <fieldset className="flex flex-col gap-2" aria-labelledby={id} aria-describedby={`${id}-hint`}>
      <legend id={id} className="mb-1.5 font-semibold text-dense">
        Passkey required to approve
      </legend>
      <p id={`${id}-hint`} className="text-dense text-ink-2">
        The approver’s device signs exactly the request that they read. Approvers without a passkey can still reject and
        escalate. Service accounts can’t approve these requests.
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
