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
import type { AgentDetail } from '#lib/schemas/agents.ts'
import type { Binding } from '#lib/schemas/policies.ts'
import { useTRPC } from '#lib/trpc.ts'

/** Asks the change approvers to let the newest published version of a policy decide for the agent. */
export function ProposeBinding({ agent }: { agent: AgentDetail }) {
  const trpc = useTRPC()
  const { client } = useApi()
  const [policyId, setPolicyId] = useState('')
  const [environment, setEnvironment] = useState('production')
  const [mode, setMode] = useState<Binding['mode']>('enforce')
  const policies = useQuery(trpc.policies.list.queryOptions({ limit: limits.pageRows }))
  const propose = useAct({ send: client.policyBindings.propose.mutate, touches: ['policyBindings', 'approvals'] })
  const published = (policies.data?.items ?? []).filter((policy) => policy.latestPublishedVersion !== null)
  const policyVersion = published.find((policy) => policy.id === policyId)?.latestPublishedVersion ?? undefined
  const noPolicy = policies.data !== undefined && published.length === 0 ? 'No policy is published yet.' : undefined
  return (
    <ProposeDialog
      permission="binding:propose"
      label="Propose a binding"
      description="The policy decides each call of the agent in that environment after an approver other than you approves the binding."
      missing={noPolicy ?? (policyVersion === undefined ? 'Choose a policy.' : whyNotName(environment, 'environment'))}
      propose={propose}
      onPropose={() => {
        if (policyVersion !== undefined) propose.run({ agentId: agent.id, environment, policyId, policyVersion, mode })
      }}
    >
      <SelectField
        label="Policy"
        value={policyId}
        onChange={setPolicyId}
        placeholder={policies.isPending ? 'Loading…' : 'Choose a policy'}
        options={published.map(({ id, name, latestPublishedVersion }) => ({
          value: id,
          label: `${name}, version ${latestPublishedVersion}`,
        }))}
        error={
          policies.error === null ? noPolicy : 'The policies could not be loaded. Close this dialog and try again.'
        }
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
