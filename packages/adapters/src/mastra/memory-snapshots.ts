interface WorkflowStore {
  deleteWorkflowRunById(run: { readonly runId: string; readonly workflowName: string }): Promise<void>;
}

interface Storage {
  readonly name?: string;
  getStore(domain: 'workflows'): Promise<WorkflowStore | undefined>;
}

/**
 * Deletes what Mastra's store in memory holds of a run that nobody can ask for any more. A store on disk is left alone: there a run may be
 * resumed after days, and by another process.
 */
export async function forgetSnapshots(
  instance: object | undefined,
  runId: string,
  workflowNames: readonly string[],
): Promise<void> {
  try {
    const storage = (instance as { getStorage?: () => Storage | undefined } | undefined)?.getStorage?.();
    if (storage?.name !== 'InMemoryStorage') return;
    const store = await storage.getStore('workflows');
    for (const workflowName of workflowNames) await store?.deleteWorkflowRunById({ runId, workflowName });
  } catch {
    // The snapshot stays, as it does without the adapter.
  }
}
