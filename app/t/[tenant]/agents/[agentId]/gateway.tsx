'use client'

import { Section } from '#components/page/section.tsx'
import { useSession } from '#components/session/session-provider.tsx'
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
    <Section title="Addresses for MCP clients">
      <p className="max-w-[75ch] text-ink-2">
        Paste an address into an editor or another MCP client. People who use it sign in there, and reach the tools of
        the active release.
      </p>
      <DataTable caption="Addresses for MCP clients" columns={COLUMNS} rows={rows} rowKey={({ server }) => server} />
    </Section>
  )
}

const COLUMNS: Column<Row>[] = [
  { key: 'server', header: 'Tool server', rowHeader: true, cell: ({ server }) => <ShownText>{server}</ShownText> },
  {
    key: 'address',
    header: 'Address',
    cell: ({ server, address }) => <Copyable value={address} label={`address for ${server}`} />,
  },
]

function serversIn({ spec }: AgentDetail['manifest']): string[] {
  const entries = isJsonObject(spec) && Array.isArray(spec.tools) ? spec.tools : []
  const names = entries.flatMap((entry) =>
    isJsonObject(entry) && isJsonObject(entry.mcp) && typeof entry.mcp.server === 'string' ? [entry.mcp.server] : [],
  )
  return [...new Set(names)]
}
