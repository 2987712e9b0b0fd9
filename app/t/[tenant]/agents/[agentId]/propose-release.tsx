'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { whyNotName } from '#components/forms/name-rule.ts'
import { ProposeDialog } from '#components/forms/propose-dialog.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import * as t from '#components/texts/agent/en.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
import type { AgentDetail } from '#lib/schemas/agents.ts'

/** Asks the change approvers to let a version run in an environment. */
export function ProposeRelease({ agent }: { agent: AgentDetail }) {
  const { client } = useApi()
  const [version, setVersion] = useState(agent.latestVersion)
  const [environment, setEnvironment] = useState('production')
  const propose = useAct({ send: client.releases.propose.mutate, touches: ['releases', 'approvals'] })
  return (
    <ProposeDialog
      permission="release:propose"
      label={t.proposeRelease}
      description={t.versionAndSchemasOf}
      missing={whyNotName(environment, 'environment')}
      // A version that is registered while the dialog is open is not what its reader has seen.
      onOpen={() => setVersion(agent.latestVersion)}
      propose={propose}
      onPropose={() => propose.run({ agentId: agent.id, version, environment })}
    >
      <SelectField
        label={t.version}
        value={version}
        onChange={setVersion}
        placeholder={t.chooseVersion}
        options={agent.versions.map((one) => ({ value: one.version, label: one.version }))}
      />
      <TextField
        label={t.environment}
        hint={t.lowerCaseLettersDigits}
        value={environment}
        onChange={(event) => setEnvironment(event.target.value)}
        error={whyNotName(environment, 'environment')}
      />
    </ProposeDialog>
  )
}
