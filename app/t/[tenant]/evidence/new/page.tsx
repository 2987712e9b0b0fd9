import type { Metadata } from 'next'
import * as t from '#components/texts/evidence/en.ts'

import { NewExport } from './new-export.tsx'

export const metadata: Metadata = { title: t.newEvidenceExport }

export default function NewExportPage() {
  return <NewExport />
}
