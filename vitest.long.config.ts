import { defineConfig } from 'vitest/config'

/** What takes minutes or needs another program, one folder a run: `npm run test:crash` and its like. */
export default defineConfig({
  test: {
    globalSetup: 'test/support/compiled-once.ts',
    setupFiles: 'test/support/seeded-properties.ts',
    include: ['test/**/*.long.ts'],
    reporters: ['verbose'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
