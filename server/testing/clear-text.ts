import { Client } from 'pg'

/** Returns all rows of all tables, including partitions and the queue's tables, as the owner reads them: table → text. */
export async function readTables(ownerUrl: string): Promise<Map<string, string>> {
  const owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  try {
    const { rows: tables } = await owner.query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname <> 'information_schema' and n.nspname !~ '^pg_' order by name`,
    )
    const found = new Map<string, string>()
    for (const { name } of tables) {
      const { rows } = await owner.query<{ text: string }>(`select t::text as text from ${name} t`)
      found.set(name, rows.map(({ text }) => text).join('\n'))
    }
    return found
  } finally {
    await owner.end()
  }
}

/** Returns the tables that contain `word`, as text, or as bytes in hexadecimal or base64. */
export function tablesWith(tables: ReadonlyMap<string, string>, word: string): string[] {
  const bytes = Buffer.from(word)
  // Three texts, because the letters of base64 depend on the position of the word in the bytes.
  const encoded = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return text.slice(before === 0 ? 0 : before + 1, 4 * Math.floor((before + bytes.length) / 3))
  })
  const forms = [word.toLowerCase(), bytes.toString('hex')]
  return [...tables].flatMap(([name, text]) => {
    const lower = text.toLowerCase()
    return forms.some((form) => lower.includes(form)) || encoded.some((form) => text.includes(form)) ? [name] : []
  })
}
