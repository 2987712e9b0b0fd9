'use client'

import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { useAct } from '#components/api/use-act.ts'
import { type Kept, KeptDraft } from '#components/forms/kept-draft.tsx'
import { RestoredDraft } from '#components/forms/restored-draft.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import { useRefusals } from '#components/forms/use-refusals.ts'
import { useStanding } from '#components/forms/use-standing.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/execution-start/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { RadioCards } from '#components/ui/controls/radio-cards.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { executionPath } from '#lib/paths.ts'
import type { AgentSummary } from '#lib/schemas/agents.ts'
import { type Inputs, useTRPC } from '#lib/trpc.ts'
import { ConfirmStart, isProduction } from './confirm-start.tsx'
import { fieldsOf, initialTexts, schemaIn, textsFor } from './input-fields.ts'
import { type Entered, InputForm, readInput } from './input-form.tsx'
import { LastInputs } from './last-inputs.tsx'
import { Refused } from './refused.tsx'

type Release = AgentSummary['activeReleases'][number]

/** Chooses the agent and the environment; the form of the release then asks for the input. */
export function StartForm({ agents, wanted }: { agents: AgentSummary[]; wanted: string | undefined }) {
  const [agentId, setAgentId] = useState(() => (agents.find((one) => one.id === wanted) ?? only(agents))?.id)
  const [environment, setEnvironment] = useState<string>()
  const [busy, setBusy] = useState(false)
  const agent = agents.find((one) => one.id === agentId)
  const releases = agent?.activeReleases ?? []
  const chosen = releases.find((release) => release.environment === environment) ?? only(releases)
  const missing = whyNot(agent, chosen !== undefined)
  return (
    <div className="flex max-w-160 flex-col gap-5">
      <SelectField
        label={t.agent}
        value={agentId ?? ''}
        onChange={(id) => {
          if (busy) return
          setAgentId(id)
          setEnvironment(undefined)
        }}
        options={agents.map(({ id, displayName, name }) => ({ value: id, label: `${displayName} (${name})` }))}
        placeholder={t.chooseAgent}
      />
      {agent !== undefined && releases.length > 0 && (
        <RadioCards
          legend={t.environment}
          value={chosen?.environment}
          onChange={setEnvironment}
          locked={busy}
          options={releases.map((release) => ({
            value: release.environment,
            label: release.environment,
            consequence: t.runsReleasedVersion({ version: release.version }),
          }))}
        />
      )}
      {agent !== undefined && chosen !== undefined && missing === undefined ? (
        <WithManifest key={chosen.releaseId} agent={agent} release={chosen} onBusy={setBusy} />
      ) : (
        <div>
          <Button variant="primary" disabledReason={missing}>
            {agent === undefined ? t.startThe : t.startNamed({ agent: agent.displayName })}
          </Button>
        </div>
      )}
    </div>
  )
}

type ReleaseFormProps = { agent: AgentSummary; release: Release; onBusy: (busy: boolean) => void }

/** Reads what the release pins of the manifest, from which the form is made. */
function WithManifest(props: ReleaseFormProps) {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.releases.get.queryOptions({ id: props.release.releaseId }))
  if (data !== undefined)
    return <InputOfRelease {...props} spec={isJsonObject(data.content) ? data.content.spec : undefined} />
  return error === null ? (
    <Skeleton label={t.loadingAgentsManifest} rows={3} rowClass="h-12" />
  ) : (
    <RequestFailed
      error={error}
      what={t.agentsManifest}
      act={t.seeReleases}
      permission="release:read"
      retry={() => void refetch()}
    />
  )
}

type InputProps = ReleaseFormProps & { spec: JsonValue | undefined }

function InputOfRelease(props: InputProps) {
  const fields = fieldsOf(props.spec)
  const first: Entered =
    fields.length === 0 ? { as: 'json', text: '{\n  \n}' } : { as: 'fields', texts: initialTexts(fields) }
  // A release does not change, so that its draft always fits it.
  return (
    <KeptDraft form={`execution.${props.release.releaseId}`} initial={{ entered: JSON.stringify(first) }}>
      {(kept) => <Form {...props} kept={kept} />}
    </KeptDraft>
  )
}

function Form({ agent, release, onBusy, spec, kept }: InputProps & { kept: Kept<{ entered: string }> }) {
  const { tenant } = useSession()
  const router = useRouter()
  const { client } = useApi()
  const fields = fieldsOf(spec)
  const schema = schemaIn(spec)
  const entered: Entered = JSON.parse(kept.draft.entered)
  const [confirming, setConfirming] = useState<JsonObject>()
  const { form, tried, refuse } = useRefusals()
  // After a lost answer, sending the same request again must not start a second execution.
  const send = kept.sending((request: Inputs['executions']['execute'], { context }) =>
    client.executions.execute.mutate({ ...request, ...context }),
  )
  const start = useAct({
    send,
    touches: ['executions'],
    onDone: ({ executionId }) => router.push(executionPath(tenant, executionId)),
    onFailed: () => onBusy(false),
  })
  const [failure, withdraw] = useStanding(start.failure)
  const setEntered = (next: Entered) => {
    kept.change({ entered: JSON.stringify(next) })
    withdraw()
  }
  const { input, problems } = readInput(entered, fields, schema)
  // What the server found wrong with a field, until the form is changed.
  const refused = new Map((failure?.issues ?? []).map(({ path, message }) => [path.replace(/^input\./, ''), message]))

  function run(request: JsonObject) {
    setConfirming(undefined)
    onBusy(true)
    start.run({ agentId: agent.id, environment: release.environment, input: request })
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (start.pending) return
    if (input === undefined || problems.size > 0) refuse()
    else if (isProduction(release.environment)) setConfirming(input)
    else run(input)
  }

  const busy = start.pending || start.output !== undefined
  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-5">
      <RestoredDraft of={kept} locked={busy} />
      <InputForm
        fields={fields}
        entered={entered}
        onChange={setEntered}
        problems={problems.size > 0 ? problems : refused}
        sent={tried || failure !== undefined}
        readOnly={busy}
      />
      <LastInputs
        agentId={agent.id}
        environment={release.environment}
        locked={busy}
        onChoose={(earlier) => {
          const texts = textsFor(fields, earlier)
          setEntered(
            texts === undefined || fields.length === 0
              ? { as: 'json', text: JSON.stringify(earlier, null, 2) }
              : { as: 'fields', texts },
          )
        }}
      />
      {failure !== undefined && <Refused error={start.error} agent={agent} />}
      <div>
        <Button type="submit" variant="primary" busyLabel={busy ? t.startingExecution : undefined}>
          {isProduction(release.environment)
            ? t.startAgent({ agent: agent.displayName })
            : t.startNamed({ agent: agent.displayName })}
        </Button>
      </div>
      {confirming !== undefined && (
        <ConfirmStart
          agentName={agent.displayName}
          version={release.version}
          environment={release.environment}
          input={confirming}
          onConfirm={() => run(confirming)}
          onClose={() => setConfirming(undefined)}
        />
      )}
    </form>
  )
}

const only = <T,>(values: T[]): T | undefined => (values.length === 1 ? values[0] : undefined)

function whyNot(agent: AgentSummary | undefined, hasEnvironment: boolean): string | undefined {
  if (agent === undefined) return t.chooseAgentFirst
  if (agent.status === 'suspended' || agent.status === 'retired') return t.agentIs({ status: agent.status })
  if (agent.activeReleases.length === 0) return t.noReleaseOfThis
  return hasEnvironment ? undefined : t.chooseEnvironmentFirst
}
