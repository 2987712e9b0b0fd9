'use client'

import { type ReactNode, useId } from 'react'
import { formatNumber } from '#components/language/formats.ts'
import * as t from '#components/texts/alarms/en.ts'
import { Glyph } from '#components/ui/status/glyph.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Alarm } from '#lib/schemas/alarms.ts'
import { alarmWords } from './alarm-words.ts'

/** One open alarm: what disagrees, what was found and when, what to do, and its ways out. */
export function AlarmStrip({ alarm, children }: { alarm: Alarm; children: ReactNode }) {
  const id = useId()
  const { title, remedy } = alarmWords(alarm)
  return (
    <section
      aria-labelledby={id}
      className="flex flex-wrap items-start gap-x-6 gap-y-3 border-danger border-l-3 bg-danger-soft px-3 py-3"
    >
      <div className="flex min-w-0 flex-1 basis-80 gap-2.5">
        <Glyph className="mt-0.5 text-danger">
          <path d="M8 2.25 14.25 13.5H1.75z" strokeLinejoin="miter" />
          <path d="M8 6.5v3m0 1.9v.1" />
        </Glyph>
        <div className="flex min-w-0 max-w-[75ch] flex-col gap-1">
          <h3 id={id} className="wrap-anywhere text-base">
            {title}
          </h3>
          {alarm.kind === 'object' && <code className="wrap-anywhere font-mono text-dense">{alarm.subject}</code>}
          <p className="wrap-anywhere">
            <ShownText>{alarm.reason}</ShownText>
          </p>
          <p>{remedy}</p>
          <p className="text-dense text-ink-2">
            {t.foundAt({
              at: () => <Time at={alarm.firstSeenAt} />,
              many: String(alarm.count > 1),
              times: formatNumber(alarm.count),
              last: () => <Time at={alarm.lastSeenAt} show="relative" />,
              inLog: String(alarm.inLog),
            })}
          </p>
        </div>
      </div>
      <div className="flex flex-wrap items-start gap-2 pl-6.5 narrow:pl-0">{children}</div>
    </section>
  )
}
