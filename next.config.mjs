/**
 * Next builds the console's pages and nothing else: cli/console/ turns its output into files that server/shell.ts serves.
 * Route handlers are `route.ts`, so the extension alone leaves them out; our server calls them itself. The proof in
 * server/testing/properties/routes-through-next.test.ts builds them too, in a project of its own.
 */

/** Its output depends on its options, for Next's cache, which does not notice other translations. */
const textsLoader = { loader: './cli/console/texts/loader.mjs', options: { texts: process.env.TEXTS_DIGEST ?? '' } }

/** @type {import('next').NextConfig} */
export default {
  // A build leaves the texts of the pages open: cli/console/texts/ puts each language in. In development they are English.
  turbopack:
    process.env.NODE_ENV === 'production' ? { rules: { 'en.ts': { loaders: [textsLoader], as: '*.js' } } } : {},
  pageExtensions: ['tsx'],
  agentRules: false,
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
  // Images are inline SVG or a tenant's logo; the optimiser would only add code that fetches URLs.
  images: { unoptimized: true },
  // `npm test` runs tsc over the whole tree; a build at the first start need not repeat it.
  typescript: { ignoreBuildErrors: true },
}
