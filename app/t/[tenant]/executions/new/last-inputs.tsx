'use client'

import { useQueries, useQuery } from '#components/api/query.ts'
import { titleOf } from '#components/executions/effect-title.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/execution-start/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { useTRPC } from '#lib/trpc.ts'
import { canBeRead, different } from './readable-input.ts'

/** Executions of which the inputs are offered. */
const most = 5

type LastInputsProps = { agentId: string; environment: string; onChoose: (input: JsonObject) => void; locked: boolean }

/** The inputs of the agent's last executions. One with a masked or erased value can't be used again, so it is not offered. */
export function LastInputs({ agentId, environment, onChoose, locked }: LastInputsProps) {
  const trpc = useTRPC()
  const { can } = useSession()
  const enabled = can('execution:read')
  const list = useQuery(trpc.executions.list.queryOptions({ agentId, environment, limit: most }, { enabled }))
  const rows = list.data?.items ?? []
  const answers = useQueries({ queries: rows.map(({ id }) => trpc.executions.get.queryOptions({ id })) })
  const readable = answers.flatMap(({ data }) => (data !== undefined && canBeRead(data) ? [data] : []))
  const offered = different(readable, ({ input }) => input)
  if (offered.length === 0) return null
  return (
    <details>
      <summary className="w-fit min-h-6 font-semibold text-dense">{t.earlierInput}</summary>
      <ul aria-label={t.earlierInputs} className="flex flex-col">
        {offered.map((execution) => (
          <li
            key={execution.id}
            className="flex flex-wrap items-center justify-between gap-3 border-line border-b py-1.5"
          >
            <span className="flex min-w-0 flex-col">
              <span className="wrap-anywhere">
                <ShownText>{titleOf(execution)}</ShownText>
              </span>
              <span className="text-dense text-ink-2">
                <ShownText>{execution.startedBy.displayName}</ShownText>,{' '}
                <Time at={execution.createdAt} show="relative" />
              </span>
            </span>
            <Button
              aria-label={t.inputOf({ execution: titleOf(execution) })}
              disabledReason={locked ? t.executionIsBeingStarted : undefined}
              onClick={() => isJsonObject(execution.input) && onChoose(execution.input)}
            >
              {t.takeInput}
            </Button>
          </li>
        ))}
      </ul>
    </details>
  )
}
