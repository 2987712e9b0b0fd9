import { Client } from 'pg'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { until } from '#server/testing/until.ts'

/**
 * Starts the server, and waits until all rows are bound, as in an installation: before that, it does not check them, and each call asks
 * whether that has ended.
 */
export async function startInstalled(settings: Record<string, string>): Promise<TestApi> {
  const api = await startApi({ ...settings, ADOPT_ROWS_AFTER: '0' })
  const owner = new Client({ connectionString: api.ownerUrl })
  try {
    await owner.connect()
    await until(async () => {
      const { rows } = await owner.query<{ open: boolean }>(
        'select exists (select from tenants where id not in (select tenant_id from bound_adoptions)) as open',
      )
      return rows[0]?.open === false ? true : undefined
    }, 'all rows were bound')
    return api
  } catch (error) {
    await api.close()
    throw error
  } finally {
    await owner.end()
  }
}
