import type { Metadata } from 'next'
import * as t from '#components/texts/audit/en.ts'
import { placeholder } from '#lib/paths.ts'
import { AuditRecord } from './audit-record.tsx'

export const metadata: Metadata = { title: t.auditRecord }

export const generateStaticParams = () => [{ auditId: placeholder('auditId') }]

export default function AuditRecordPage() {
  return <AuditRecord />
}
