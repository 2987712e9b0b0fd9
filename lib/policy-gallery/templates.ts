import { dataExport } from './data-export.ts'
import { deletion } from './deletion.ts'
import { deployments } from './deployments.ts'
import { outsideMail } from './outside-mail.ts'
import { refunds } from './refunds.ts'
import { spending } from './spending.ts'
import type { PolicyTemplate } from './template.ts'

/** The policies to start from, in the order of the gallery. */
export const templates: readonly PolicyTemplate[] = [refunds, deletion, dataExport, outsideMail, deployments, spending]
