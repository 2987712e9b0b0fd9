// What begins and ends a transaction. Each connection prepares these at their first use.

/** For one transaction: whose rows it sees, and the process whose readers need no notification of it (others_listen). */
export type TransactionSettings = { tenantId?: string | undefined; processId?: string | undefined }

export const beginText = 'begin'
export const commitText = 'commit'
const tenant = `set_config('app.tenant_id', $1, true)`
export const tenantText = `select ${tenant} as tenant`
export const processText = `select set_config('app.process_id', $1, true) as process`
export const bothText = `select ${tenant} as tenant, set_config('app.process_id', $2, true) as process`

const settings: ReadonlySet<string> = new Set([tenantText, processText, bothText])

/** Whether a text is a setting of a transaction, which counts as a part of its BEGIN. */
export const isSetting = (text: string): boolean => settings.has(text)

/** Whether a text begins or ends a transaction, and is not a statement of its work. */
export const isControl = (text: string): boolean => text === beginText || text === commitText || isSetting(text)
