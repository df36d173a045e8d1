// Types of what the server answers about the collection, and of views of it. Not a part of the page.

/** Both ends included. */
type Bounds = [number, number];
type NumberField = "clues" | "guesses" | "time_ns" | "er";
type NameField = "status" | "symmetry";
type Filter = Partial<Record<NumberField, Bounds> & Record<NameField, string[]> & { file: number }>;
type SortKey = "row" | "clues" | "status" | "guesses" | "time_ns" | "er";
type Sort = { by: SortKey; descending: boolean };
/** Which records are shown, in which order, and the row number of the current one. */
type View = { filter: Filter; sort: Sort; record: number | null };

type Row = {
  row: number;
  file: number;
  puzzle: string | null;
  clues: number | null;
  status: string | null;
  guesses: number | null;
  time_ns: number | null;
  er: number | null;
  rating_end: string | null;
  symmetries: string[] | null;
  fault: string | null;
};
type Rows = { total: number; rows: Row[] };
type Picture = { field: string; title: string; svg: string };
type FileState = {
  name: string;
  format: string | null;
  kind: string | null;
  bytes: number;
  records: number;
  note: string | null;
  has_grown: boolean;
  error: string | null;
};
type CollectionState = {
  files: FileState[];
  records: number;
  is_indexed: boolean;
  solved: number;
  rated: number;
  is_rating: boolean;
  revision: number;
  error: string | null;
};
