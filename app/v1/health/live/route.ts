/** The process answers. No authentication: load balancers ask. */
export const GET = async (): Promise<Response> =>
  Response.json({ status: 'live' }, { headers: { 'cache-control': 'no-store' } })
