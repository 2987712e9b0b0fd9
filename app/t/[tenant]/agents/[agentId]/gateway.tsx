'use client'

import { Section } from '#components/page/section.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/agent/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { isJsonObject } from '#lib/json.ts'
import { gatewayPath } from '#lib/paths.ts'
import type { AgentDetail } from '#lib/schemas/agents.ts'

type Row = { server: string; address: string }

/** The addresses at which MCP clients reach the agent's tools; nothing for an agent without tool servers. */
export function Gateway({ agent: { name, manifest } }: { agent: AgentDetail }) {
  const { tenant } = useSession()
  const rows = serversIn(manifest).map((server) => ({
    server,
    address: `${window.location.origin}${gatewayPath(tenant, name, server)}`,
  }))
  if (rows.length === 0) return null
  return (
    <Section title={t.addressesForMcpClients}>
      <p className="max-w-[75ch] text-ink-2">{t.pasteAddressIntoEditor}</p>
      <DataTable caption={t.addressesForMcpClients} columns={COLUMNS} rows={rows} rowKey={({ server }) => server} />
    </Section>
  )
}

const COLUMNS: Column<Row>[] = [
  { key: 'server', header: t.toolServer, rowHeader: true, cell: ({ server }) => <ShownText>{server}</ShownText> },
  {
    key: 'address',
    header: t.address,
    cell: ({ server, address }) => <Copyable value={address} label={t.addressFor({ server })} />,
  },
]

function serversIn({ spec }: AgentDetail['manifest']): string[] {
  const entries = isJsonObject(spec) && Array.isArray(spec.tools) ? spec.tools : []
  const names = entries.flatMap((entry) =>
    isJsonObject(entry) && isJsonObject(entry.mcp) && typeof entry.mcp.server === 'string' ? [entry.mcp.server] : [],
  )
  return [...new Set(names)]
}
