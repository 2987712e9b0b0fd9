'use client'

import { useQuery } from '#components/api/query.ts'
import { formatDuration } from '#components/language/formats.ts'
import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/traces/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Kbd } from '#components/ui/controls/kbd.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { useTRPC } from '#lib/trpc.ts'
import type { TraceSpan } from './model/trace-span.ts'

type FirstErrorProps = { traceId: string; span: TraceSpan; onGo: () => void; where?: string }

/** The first error of a trace as a sentence, with the way to it. `where`: before the sentence, if there are two traces. */
export function FirstError({ traceId, span, onGo, where }: FirstErrorProps) {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.traces.getSpan.queryOptions({ traceId, spanId: span.spanId }))
  const message = data?.span.statusMessage
  return (
    <Banner
      tone="danger"
      urgency="none"
      action={<Button onClick={onGo}>{t.goToErrorE({ kbd: (content) => <Kbd>{String(content)}</Kbd> })}</Button>}
    >
      <p className="wrap-anywhere">
        {t.firstError({
          placed: String(where !== undefined),
          where: where ?? '',
          name: span.name,
          strong: (content) => (
            <strong className="font-semibold">
              <ShownText breaks>{String(content)}</ShownText>
            </strong>
          ),
          timed: String(span.endedAt !== null),
          duration: span.endedAt === null ? '' : formatDuration(span.endedAt - span.startedAt),
          told: String(message != null && message !== ''),
          message: message ?? '',
          shown: shownText,
        })}
      </p>
    </Banner>
  )
}
