'use client'

import { useQueries } from '#components/api/query.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { Section } from '#components/page/section.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/agent/en.ts'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { isJsonObject, type JsonValue } from '#lib/json.ts'
import type { AgentDetail } from '#lib/schemas/agents.ts'
import { countHidden } from '#lib/text/visible-text.ts'
import { useTRPC } from '#lib/trpc.ts'

type Tool = { server: string; name: string; title: string; description: string; sideEffect: string }

/** At most this many releases are requested, one query each. An agent runs in few environments. */
const shownReleases = 10

/** What the tools of each active release say of themselves, as their servers wrote it when the release was proposed. */
export function ReleasedTools({ agent: { activeReleases } }: { agent: AgentDetail }) {
  const { can } = useSession()
  const trpc = useTRPC()
  const active = can('release:read') ? activeReleases.slice(0, shownReleases) : []
  const answers = useQueries({ queries: active.map(({ releaseId: id }) => trpc.releases.get.queryOptions({ id })) })
  if (active.length === 0) return null
  return (
    <Section title={t.releasedTools}>
      <p className="max-w-[75ch] text-ink-2">{t.namesAndDescriptionsAre}</p>
      {answers.map(({ data, error, refetch }, index) => {
        const { releaseId, version, environment } = active[index] ?? { releaseId: '', version: '', environment: '' }
        if (data === undefined)
          return error === null ? (
            <Skeleton key={releaseId} label={t.loadingTools} rows={2} />
          ) : (
            <RequestFailed
              key={releaseId}
              error={error}
              what={t.theRelease}
              act={t.seeReleases}
              permission="release:read"
              retry={() => void refetch()}
            />
          )
        return <Tools key={releaseId} tools={toolsIn(data.content)} of={t.versionIn({ version, environment })} />
      })}
    </Section>
  )
}

function Tools({ tools, of }: { tools: Tool[]; of: string }) {
  const hidden = tools.filter(({ title, name, description }) => countHidden(title + name + description) > 0).length
  if (tools.length === 0) return <p>{t.cannotCallAnyTools({ of, shown: shownText })}</p>
  return (
    <>
      {hidden > 0 && (
        <Banner tone="warn" urgency="none">
          {t.toolsHideCharacters({ hidden })}
        </Banner>
      )}
      <DataTable
        caption={t.toolsOf({ of })}
        columns={COLUMNS}
        rows={tools}
        rowKey={({ server, name }) => JSON.stringify([server, name])}
      />
    </>
  )
}

const EFFECTS: Record<string, string> = {
  none: t.none,
  read: t.reads,
  write: t.changesData,
  irreversible: t.cantBeUndone,
}

const COLUMNS: Column<Tool>[] = [
  {
    key: 'tool',
    header: t.tool,
    rowHeader: true,
    cell: ({ server, name, title }) => (
      <span className="flex flex-col gap-0.5">
        <code className="wrap-anywhere font-mono text-dense">
          <ShownText breaks>{`${server}.${name}`}</ShownText>
        </code>
        {title !== name && (
          <span className="font-normal text-ink-2">
            <ShownText>{title}</ShownText>
          </span>
        )}
      </span>
    ),
  },
  {
    key: 'description',
    header: t.description,
    cell: ({ description }) =>
      description === '' ? (
        <span className="text-ink-2">{t.noDescription}</span>
      ) : (
        <span className="wrap-anywhere">
          <ShownText edges>{description}</ShownText>
        </span>
      ),
  },
  { key: 'effect', header: t.effect, cell: ({ sideEffect }) => EFFECTS[sideEffect] ?? sideEffect },
]

function toolsIn(content: JsonValue): Tool[] {
  const tools = isJsonObject(content) && Array.isArray(content.tools) ? content.tools : []
  return tools.filter(isJsonObject).map((tool) => ({
    server: String(tool.server),
    name: String(tool.name),
    title: String(tool.title),
    description: String(tool.description),
    sideEffect: String(tool.sideEffect),
  }))
}
