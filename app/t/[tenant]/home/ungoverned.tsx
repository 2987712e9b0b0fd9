'use client'

import Link from 'next/link'
import { useQuery } from '#components/api/query.ts'
import { LinkButton } from '#components/layout/link-button.tsx'
import { Section } from '#components/page/section.tsx'
import { peopleWith } from '#components/session/people-with.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/home/en.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { agentsPath, newAgentPath, tracePath } from '#lib/paths.ts'
import { visibleText } from '#lib/text/visible-text.ts'
import { useTRPC } from '#lib/trpc.ts'
import { AllLink } from './all-link.tsx'

const shownRows = 4

/** Agents that telemetry names and that are not registered, each with its remedy. */
export function Ungoverned() {
  const trpc = useTRPC()
  const { tenant, can } = useSession()
  const allowed = can('agent:read')
  const { data, error, refetch } = useQuery(
    trpc.agents.observed.queryOptions({ registered: false, limit: shownRows }, { enabled: allowed }),
  )
  if (!allowed) return null
  return (
    <Section
      title={t.ungoverned}
      note={can('agent:create') ? t.seenNotRegistered : t.seenOnlyPeople({ people: peopleWith('agent:create') })}
      aside={<AllLink href={agentsPath(tenant)}>{t.allAgents}</AllLink>}
    >
      {data === undefined ? (
        error === null ? (
          <Skeleton label={t.loadingUnregistered} rows={2} />
        ) : (
          <RequestFailed
            error={error}
            what={t.theUnregistered}
            plural
            act={t.seeAgents}
            permission="agent:read"
            retry={() => void refetch()}
          />
        )
      ) : data.items.length === 0 ? (
        <p className="border-line border-y py-2 text-ink-2">{t.allRegistered}</p>
      ) : (
        <ul className="border-line border-t">
          {data.items.map(({ name, firstSeenAt, lastSeenAt, lastTraceId }) => (
            <li key={name} className="flex flex-wrap items-center gap-x-4 gap-y-1 border-line border-b py-1.5">
              <span className="flex min-w-0 flex-1 basis-48 items-center gap-x-2">
                <StatusShape status="omissions" label={t.notRegistered} wordless />
                <span className="wrap-anywhere min-w-0 font-semibold">
                  <ShownText>{name}</ShownText>
                </span>
              </span>
              <span className="text-ink-2">
                {t.firstSeen({
                  first: () => <Time at={firstSeenAt} show="relative" />,
                  last: () => (
                    <Link href={tracePath(tenant, lastTraceId)} prefetch={false} className="text-link">
                      <Time at={lastSeenAt} show="relative" />
                    </Link>
                  ),
                })}
              </span>
              {can('agent:create') && (
                <LinkButton href={newAgentPath(tenant, { name })}>
                  {t.register({
                    name: visibleText(name),
                    hidden: (content) => <VisuallyHidden>{content}</VisuallyHidden>,
                  })}
                </LinkButton>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
