'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { useAct } from '#components/api/use-act.ts'
import { whyNotName } from '#components/forms/name-rule.ts'
import { ProposeDialog } from '#components/forms/propose-dialog.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import * as t from '#components/texts/agent/en.ts'
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
  // With its version as it was chosen: one that is published since then is not what was read.
  const [chosen, setChosen] = useState<{ policyId: string; policyVersion: number }>()
  const [environment, setEnvironment] = useState('production')
  const [mode, setMode] = useState<Binding['mode']>('enforce')
  const policies = useQuery(trpc.policies.list.queryOptions({ limit: limits.pageRows }))
  const propose = useAct({ send: client.policyBindings.propose.mutate, touches: ['policyBindings', 'approvals'] })
  const published = (policies.data?.items ?? []).filter((policy) => policy.latestPublishedVersion !== null)
  const choose = (policyId: string) => {
    const policyVersion = published.find(({ id }) => id === policyId)?.latestPublishedVersion ?? undefined
    setChosen(policyVersion === undefined ? undefined : { policyId, policyVersion })
  }
  const noPolicy = policies.data !== undefined && published.length === 0 ? t.noPolicyIsPublished : undefined
  return (
    <ProposeDialog
      permission="binding:propose"
      label={t.proposeBinding}
      description={t.policyDecidesEachCall}
      missing={noPolicy ?? (chosen === undefined ? t.choosePolicy : whyNotName(environment, 'environment'))}
      propose={propose}
      onPropose={() => {
        if (chosen !== undefined) propose.run({ agentId: agent.id, environment, ...chosen, mode })
      }}
    >
      <SelectField
        label={t.policy}
        value={chosen?.policyId ?? ''}
        onChange={choose}
        placeholder={policies.isPending ? t.loading : t.chooseA}
        options={published.map(({ id, name, latestPublishedVersion }) => ({
          value: id,
          label: t.namedVersion({
            name,
            latestPublishedVersion: String(id === chosen?.policyId ? chosen.policyVersion : latestPublishedVersion),
          }),
        }))}
        error={policies.error === null ? noPolicy : t.policiesCouldNotBe}
      />
      <TextField
        label={t.environment}
        hint={t.lowerCaseLettersDigits}
        value={environment}
        onChange={(event) => setEnvironment(event.target.value)}
        error={whyNotName(environment, 'environment')}
      />
      <RadioCards
        legend={t.mode}
        value={mode}
        onChange={setMode}
        options={[
          { value: 'enforce', label: t.enforce, consequence: t.callsThatPolicyDenies },
          {
            value: 'shadow',
            label: t.shadow,
            consequence: t.decisionsOfPolicyAre,
          },
        ]}
      />
    </ProposeDialog>
  )
}
