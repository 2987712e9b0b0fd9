'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { whyNotName } from '#components/forms/name-rule.ts'
import { SelectField } from '#components/forms/select-field.tsx'
import { whoCan } from '#components/navigation/action-link.tsx'
import { failureText } from '#components/session/failure-text.ts'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/policy/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { mergeSimulation, type Simulation } from './merge-simulation.ts'
import { SimulationResult } from './simulation-result.tsx'

const PERIODS = { day: t.last24Hours, week: t.last7Days, month: t.last30Days }
const DAYS = { day: 1, week: 7, month: 30 }
type Period = keyof typeof PERIODS

const dayMs = 86_400_000

/** The parameters of a simulation. The requests for older pages repeat them. */
type Request = { policyId: string; version: number; environment: string; from: string; to: string }

/** Recomputes recorded decisions as if the version had decided. It records and changes nothing. */
export function Simulate({ policyId, version }: { policyId: string; version: number }) {
  const { can } = useSession()
  const { client } = useApi()
  const [environment, setEnvironment] = useState('production')
  const [period, setPeriod] = useState<Period>('week')
  const [result, setResult] = useState<{ request: Request; simulation: Simulation }>()
  const simulate = useAct({
    send: async ({ request, cursor }: { request: Request; cursor?: string }) => {
      const page = await client.policies.simulate.query(cursor === undefined ? request : { ...request, cursor })
      return { page, request, cursor }
    },
    touches: [],
    onDone: ({ page, request, cursor }) =>
      setResult((before) => ({
        request,
        simulation: mergeSimulation(cursor === undefined ? undefined : before?.simulation, page),
      })),
  })
  function start() {
    const now = Date.now()
    const request: Request = {
      policyId,
      version,
      environment,
      from: new Date(now - DAYS[period] * dayMs).toISOString(),
      to: new Date(now).toISOString(),
    }
    setResult(undefined)
    simulate.run({ request })
  }
  const invalid = whyNotName(environment, 'environment')
  const { failure } = simulate
  const shown = result?.request.version === version ? result : undefined
  const next = shown?.simulation.nextCursor ?? undefined
  return (
    <>
      <p className="max-w-[75ch] text-ink-2">{t.seeHowVersionWould({ version })}</p>
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3 *:w-full *:narrow:w-60">
        <TextField
          label={t.environment}
          value={environment}
          onChange={(event) => setEnvironment(event.target.value)}
          error={invalid}
        />
        <SelectField
          label={t.period}
          value={period}
          onChange={(value) => setPeriod(value === 'day' || value === 'month' ? value : 'week')}
          placeholder=""
          options={Object.entries(PERIODS).map(([value, label]) => ({ value, label }))}
        />
      </div>
      <div>
        <Button
          onClick={start}
          disabledReason={can('policy:author') ? invalid : whoCan('policy:author')}
          busyLabel={simulate.pending && shown === undefined ? t.simulatingVersion({ version }) : undefined}
        >
          {t.simulateVersion({ version })}
        </Button>
      </div>
      {failure && (
        <ErrorPanel
          title={t.simulationFailed}
          effect={t.nothingWasChanged({ message: failureText(failure) })}
          advice={adviceFor(failure)}
          requestId={failure.requestId}
        />
      )}
      <div role="status" className="flex flex-col gap-3">
        {shown && <SimulationResult simulation={shown.simulation} version={version} />}
      </div>
      {shown !== undefined && next !== undefined && (
        <div>
          <Button
            onClick={() => simulate.run({ request: shown.request, cursor: next })}
            busyLabel={simulate.pending ? t.simulatingOlderDecisions : undefined}
          >
            {t.simulateOlderDecisions}
          </Button>
        </div>
      )}
    </>
  )
}
