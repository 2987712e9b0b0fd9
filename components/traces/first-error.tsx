'use client'

import { useQuery } from '#components/api/query.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Kbd } from '#components/ui/controls/kbd.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { formatDuration } from '#lib/format.ts'
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
      action={
        <Button onClick={onGo}>
          Go to the error <Kbd>E</Kbd>
        </Button>
      }
    >
      <p className="wrap-anywhere">
        {where !== undefined && `${where}: `}
        <strong className="font-semibold">
          <ShownText breaks>{span.name}</ShownText>
        </strong>{' '}
        failed{span.endedAt !== null && ` after ${formatDuration(span.endedAt - span.startedAt)}`}
        {message != null && message !== '' ? (
          <>
            : <ShownText>{message}</ShownText>
          </>
        ) : (
          '.'
        )}
      </p>
    </Banner>
  )
}
