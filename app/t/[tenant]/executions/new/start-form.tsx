'use client'

import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { CodeField } from '#components/code/code-field.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import { parseJsonObject } from '#components/json/json-problem.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { RadioCards } from '#components/ui/controls/radio-cards.tsx'
import { executionPath } from '#lib/paths.ts'
import type { AgentSummary } from '#lib/schemas/agents.ts'
import type { Inputs } from '#lib/trpc.ts'
import { Refused } from './refused.tsx'

/** Agent, environment and input. Opens the execution once the server has started it. */
export function StartForm({ agents, wanted }: { agents: AgentSummary[]; wanted: string | undefined }) {
  const { tenant } = useSession()
  const router = useRouter()
  const { client } = useApi()
  const [agentId, setAgentId] = useState(() => firstChoice(agents, wanted))
  const [environment, setEnvironment] = useState<string>()
  const [text, setText] = useState('{\n  \n}')
  const [sent, setSent] = useState(false)
  const start = useAct({
    // After a lost answer, sending the same request again must not start a second execution.
    send: (request: Inputs['executions']['execute'], { context }) =>
      client.executions.execute.mutate({ ...request, ...context }),
    touches: ['executions'],
    onDone: ({ executionId }) => router.push(executionPath(tenant, executionId)),
  })
  const agent = agents.find((one) => one.id === agentId)
  const releases = agent?.activeReleases ?? []
  const chosen = releases.find((release) => release.environment === environment) ?? only(releases)
  const parsed = parseJsonObject(text)
  const problem = 'problem' in parsed ? parsed.problem : undefined
  const missing = whyNot(agent, chosen !== undefined)

  function submit(event: FormEvent) {
    event.preventDefault()
    setSent(true)
    if (agent === undefined || chosen === undefined || 'problem' in parsed || start.pending) return
    const request = { agentId: agent.id, environment: chosen.environment, input: parsed.value }
    start.run(request)
  }

  const busy = start.pending || start.output !== undefined
  return (
    <form onSubmit={submit} noValidate className="flex max-w-160 flex-col gap-5">
      <SelectField
        label="Agent"
        value={agentId ?? ''}
        onChange={(id) => {
          setAgentId(id)
          setEnvironment(undefined)
        }}
        options={agents.map(({ id, displayName, name }) => ({ value: id, label: `${displayName} (${name})` }))}
        placeholder="Choose an agent"
      />
      {agent !== undefined && releases.length > 0 && (
        <RadioCards
          legend="Environment"
          value={chosen?.environment}
          onChange={setEnvironment}
          locked={busy}
          options={releases.map((release) => ({
            value: release.environment,
            label: release.environment,
            consequence: `Runs the released version ${release.version}.`,
          }))}
        />
      )}
      <CodeField
        label="Input"
        hint="A JSON object with the fields that the agent’s manifest reads, for example { &quot;orderId&quot;: &quot;A-1002&quot; }."
        value={text}
        onChange={setText}
        rows={8}
        problem={sent || text.trim().length > 3 ? problem : undefined}
        readOnly={busy}
      />
      {start.failure !== undefined && agent !== undefined && <Refused error={start.error} agent={agent} />}
      <div>
        <Button
          type="submit"
          variant="primary"
          disabledReason={missing}
          busyLabel={busy ? 'Starting the execution…' : undefined}
        >
          {agent === undefined ? 'Start the execution' : `Start ${agent.displayName}`}
        </Button>
      </div>
    </form>
  )
}

function firstChoice(agents: AgentSummary[], wanted: string | undefined): string | undefined {
  return (agents.find((agent) => agent.id === wanted) ?? only(agents))?.id
}

const only = <T,>(values: T[]): T | undefined => (values.length === 1 ? values[0] : undefined)

function whyNot(agent: AgentSummary | undefined, hasEnvironment: boolean): string | undefined {
  if (agent === undefined) return 'Choose an agent first.'
  if (agent.status === 'suspended' || agent.status === 'retired') return `This agent is ${agent.status}.`
  if (agent.activeReleases.length === 0)
    return 'No release of this agent is active. Propose one on its page and have it approved.'
  return hasEnvironment ? undefined : 'Choose an environment first.'
}
