'use client'

import Link from 'next/link'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/audit/en.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import {
  agentPath,
  approvalPath,
  evidenceExportPath,
  executionPath,
  isPathParameter,
  policyPath,
  tracePath,
} from '#lib/paths.ts'

const PAGES: Record<string, (tenant: string, id: string) => string> = {
  agent: agentPath,
  approval: approvalPath,
  evidence_export: evidenceExportPath,
  execution: executionPath,
  policy: policyPath,
  trace: tracePath,
}

type ResourceLinkProps = { type: string; id: string; name?: string | undefined }

/** The resource of a record by its name, or else by its kind, as a link if it has a page. */
export function ResourceLink({ type, id, name }: ResourceLinkProps) {
  const { tenant } = useSession()
  const words = name ?? t.kindOf({ kind: type, name: type.replaceAll('_', ' ') })
  const page = Object.hasOwn(PAGES, type) ? PAGES[type] : undefined
  if (page === undefined || !isPathParameter(id) || id === 'none') return <ShownText>{words}</ShownText>
  return (
    <Link href={page(tenant, id)} prefetch={false} className="text-link">
      <ShownText>{words}</ShownText>
    </Link>
  )
}
