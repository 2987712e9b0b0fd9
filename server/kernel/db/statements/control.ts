// What begins and ends a transaction. Each connection prepares these at their first use.

/** For one transaction. */
export type TransactionSettings = {
  /** Whose rows it sees. */
  tenantId?: string | undefined
  /** The process whose readers need no notification of it (others_listen). */
  processId?: string | undefined
  plannedOnce?: boolean
}

export const beginText = 'begin'
export const commitText = 'commit'

/**
 * For statements that read the first rows of an index: one plan for all values, which follows the index. By its statistics, PostgreSQL
 * would read and sort everything that is left of a long trace where most traces are short, or the whole of a small table.
 */
export const plannedOnceSettings: readonly (readonly [name: string, value: string])[] = [
  ['plan_cache_mode', 'force_generic_plan'],
  ['enable_seqscan', 'off'],
  ['enable_bitmapscan', 'off'],
]

const textFor = (given: readonly string[], plannedOnce: boolean): string => {
  const settings = [
    ...given.map((name, index) => `set_config('${name}', $${index + 1}, true)`),
    ...(plannedOnce ? plannedOnceSettings.map(([name, value]) => `set_config('${name}', '${value}', true)`) : []),
  ]
  // Named, so that the text differs from every other statement's.
  return `select ${settings.map((setting, index) => `${setting} as setting_${index}`).join(', ')}`
}

const [tenant, process] = ['app.tenant_id', 'app.process_id']
const ofTenant = { usual: textFor([tenant], false), plannedOnce: textFor([tenant], true) }
const ofProcess = { usual: textFor([process], false), plannedOnce: textFor([process], true) }
const ofBoth = { usual: textFor([tenant, process], false), plannedOnce: textFor([tenant, process], true) }
const ofNone = { plannedOnce: textFor([], true) }

/** The statement for the settings that are given; undefined for none. */
export function settingsStatement(settings: TransactionSettings): { text: string; values: string[] } | undefined {
  const { tenantId, processId } = settings
  const plans = settings.plannedOnce === true ? 'plannedOnce' : 'usual'
  if (tenantId !== undefined && processId !== undefined) return { text: ofBoth[plans], values: [tenantId, processId] }
  if (tenantId !== undefined) return { text: ofTenant[plans], values: [tenantId] }
  if (processId !== undefined) return { text: ofProcess[plans], values: [processId] }
  return plans === 'plannedOnce' ? { text: ofNone.plannedOnce, values: [] } : undefined
}

const texts: ReadonlySet<string> = new Set([ofTenant, ofProcess, ofBoth, ofNone].flatMap((some) => Object.values(some)))

/** Whether a text is that of a transaction's settings, which count as a part of its BEGIN. */
export const isSetting = (text: string): boolean => texts.has(text)

/** Whether a text begins or ends a transaction, and is not a statement of its work. */
export const isControl = (text: string): boolean => text === beginText || text === commitText || isSetting(text)
