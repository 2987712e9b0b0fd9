'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { useAct } from '#components/api/use-act.ts'
import { whyNotName } from '#components/forms/name-rule.ts'
import { ProposeDialog } from '#components/forms/propose-dialog.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import { RadioCards } from '#components/ui/controls/radio-cards.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { limits } from '#lib/limits.ts'
import type { Binding, PolicyVersion } from '#lib/schemas/policies.ts'
import { useTRPC } from '#lib/trpc.ts'

/** Asks the change approvers to let a published version decide for an agent. */
export function Propose({ version: { policyId, version, status } }: { version: PolicyVersion }) {
  const trpc = useTRPC()
  const { client } = useApi()
  const [agentId, setAgentId] = useState('')
  const [environment, setEnvironment] = useState('production')
  const [mode, setMode] = useState<Binding['mode']>()
  const agents = useQuery(trpc.agents.list.queryOptions({ limit: limits.pageRows }))
  const propose = useAct({ send: client.policyBindings.propose.mutate, touches: ['policyBindings', 'approvals'] })
  const missing =
    status === 'draft'
      ? 'This version is a draft. Publish it first.'
      : agentId === ''
        ? 'Choose an agent.'
        : (whyNotName(environment, 'environment') ?? (mode === undefined ? 'Choose enforce or shadow.' : undefined))
  return (
    <ProposeDialog
      permission="binding:propose"
      label={`Propose to bind version ${version}`}
      blocked={status === 'draft' ? 'This version is a draft. Publish it first.' : undefined}
      description="The version decides each call of the agent in that environment after an approver other than you approves the binding. In the mode Enforce, it replaces the version that is bound there now."
      missing={missing}
      propose={propose}
      onPropose={() => {
        if (missing === undefined && mode !== undefined)
          propose.run({ agentId, environment, policyId, policyVersion: version, mode })
      }}
    >
      <SelectField
        label="Agent"
        value={agentId}
        onChange={setAgentId}
        placeholder={agents.isPending ? 'Loading…' : 'Choose an agent'}
        options={(agents.data?.items ?? []).map(({ id, displayName, name }) => ({
          value: id,
          label: `${displayName} (${name})`,
        }))}
        error={agents.error === null ? undefined : 'The agents could not be loaded. Close this dialog and try again.'}
      />
      <TextField
        label="Environment"
        hint="Lower-case letters, digits and hyphens, for example production"
        value={environment}
        onChange={(event) => setEnvironment(event.target.value)}
        error={whyNotName(environment, 'environment')}
      />
      <RadioCards
        legend="Mode"
        value={mode}
        onChange={setMode}
        options={[
          { value: 'enforce', label: 'Enforce', consequence: 'Calls that the policy denies are blocked.' },
          {
            value: 'shadow',
            label: 'Shadow',
            consequence: 'The decisions of the policy are recorded but not enforced.',
          },
        ]}
      />
    </ProposeDialog>
  )
}
