'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { whyNotName } from '#components/forms/name-rule.ts'
import { ProposeDialog } from '#components/forms/propose-dialog.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
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
      label="Propose a release"
      description="The version and the schemas of its tools are pinned now. The version can run after an approver other than you approves the release."
      missing={whyNotName(environment, 'environment')}
      propose={propose}
      onPropose={() => propose.run({ agentId: agent.id, version, environment })}
    >
      <SelectField
        label="Version"
        value={version}
        onChange={setVersion}
        placeholder="Choose a version"
        options={agent.versions.map((one) => ({ value: one.version, label: one.version }))}
      />
      <TextField
        label="Environment"
        hint="Lower-case letters, digits and hyphens, for example production"
        value={environment}
        onChange={(event) => setEnvironment(event.target.value)}
        error={whyNotName(environment, 'environment')}
      />
    </ProposeDialog>
  )
}
