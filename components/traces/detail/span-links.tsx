import Link from 'next/link'
import { useSession } from '#components/session/session-provider.tsx'
import { tracePath } from '#lib/paths.ts'
import type { Answers } from '#lib/trpc.ts'
import { SpanAttributes } from './span-attributes.tsx'

/** Links to other spans, as sent by the exporter. The linked trace may not exist in this tenant. */
export function SpanLinks({ links }: { links: Answers['traces']['getSpan']['span']['links'] }) {
  const { tenant } = useSession()
  return (
    <ul className="flex flex-col gap-3">
      {links.map(({ traceId, spanId, attributes }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: links never move.
        <li key={index}>
          <Link
            href={tracePath(tenant, traceId, { span: spanId })}
            prefetch={false}
            className="wrap-anywhere font-mono text-dense text-link"
          >
            {traceId} / {spanId}
          </Link>
          {attributes.length > 0 && <SpanAttributes attributes={attributes} />}
        </li>
      ))}
    </ul>
  )
}
