'use client'

import { useState } from 'react'
import { Section } from '#components/page/section.tsx'
import * as t from '#components/texts/execution-inputs/en.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { isJsonObject } from '#lib/json.ts'
import type { Execution, ExecutionEvent } from '#lib/schemas/executions.ts'
import { SendInput } from './send-input.tsx'
import { useJournal } from './use-execution.ts'

/** The inputs that the execution waits for, shown to members who may send input but not read it. */
export function RequestedInputs({ execution }: { execution: Execution }) {
  const { data: events = [] } = useJournal(execution.id, execution)
  const names = execution.status === 'waiting_input' ? requestedInputs(events) : []
  // An open dialog stays, with what was written or with its receipt, when the execution no longer waits.
  const [shown, setShown] = useState<readonly string[]>([])
  const added = names.filter((name) => !shown.includes(name))
  if (added.length > 0) setShown([...shown, ...added])
  if (shown.length === 0) return null
  return (
    <div hidden={names.length === 0}>
      <Section title={t.requestedInputs}>
        <ul className="border-line border-t">
          {shown.map((name) => (
            <li
              key={name}
              hidden={!names.includes(name)}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-b py-2"
            >
              <span className="wrap-anywhere font-semibold">
                <ShownText>{name}</ShownText>
              </span>
              <SendInput executionId={execution.id} input={name} over={!names.includes(name)} />
            </li>
          ))}
        </ul>
      </Section>
    </div>
  )
}

function requestedInputs(events: ExecutionEvent[]): string[] {
  const data = events.findLast((event) => event.type === 'input.requested')?.data
  const inputs = isJsonObject(data) && Array.isArray(data.inputs) ? data.inputs : []
  return inputs.flatMap((input) => (isJsonObject(input) && typeof input.name === 'string' ? [input.name] : []))
}
