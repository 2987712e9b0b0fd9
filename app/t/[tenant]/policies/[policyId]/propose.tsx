'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { useAct } from '#components/api/use-act.ts'
import { whyNotName } from '#components/forms/name-rule.ts'
import { ProposeDialog } from '#components/forms/propose-dialog.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import * as t from '#components/texts/policy/en.ts'
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
      ? t.thisVersionIsDraft
      : agentId === ''
        ? t.chooseAgent
        : (whyNotName(environment, 'environment') ?? (mode === undefined ? t.chooseEnforceOrShadow : undefined))
  return (
    <ProposeDialog
      permission="binding:propose"
      label={t.proposeToBindVersion({ version })}
      blocked={status === 'draft' ? t.thisVersionIsDraft : undefined}
      description={t.versionDecidesEachCall}
      missing={missing}
      propose={propose}
      onPropose={() => {
        if (missing === undefined && mode !== undefined)
          propose.run({ agentId, environment, policyId, policyVersion: version, mode })
      }}
    >
      <SelectField
        label={t.agent}
        value={agentId}
        onChange={setAgentId}
        placeholder={agents.isPending ? t.loading : t.chooseAn}
        options={(agents.data?.items ?? []).map(({ id, displayName, name }) => ({
          value: id,
          label: `${displayName} (${name})`,
        }))}
        error={agents.error === null ? undefined : t.agentsCouldNotBe}
      />
      <TextField
        label={t.environment}
        hint={t.lowerCase}
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
