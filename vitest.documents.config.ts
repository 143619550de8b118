import { defineConfig } from 'vitest/config'

/** What follows the pages from a clean checkout, and installs it: `npm run test:documents`. */
export default defineConfig({
  test: { include: ['test/docs/**/*.long.ts'], reporters: ['verbose'], testTimeout: 120_000 },
})
