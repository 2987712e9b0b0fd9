import type { Metadata } from 'next'
import * as t from '#components/texts/evidence-export/en.ts'
import { placeholder } from '#lib/paths.ts'
import { EvidenceExport } from './evidence-export.tsx'

export const metadata: Metadata = { title: t.evidenceExport }

export const generateStaticParams = () => [{ exportId: placeholder('exportId') }]

export default function EvidenceExportPage() {
  return <EvidenceExport />
}
