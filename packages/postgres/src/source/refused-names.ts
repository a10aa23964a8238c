/** Splits the words of a list. */
const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * Names that begin with `pg_` are those of PostgreSQL: a statement may use these, which describe the objects of the
 * database and its values. All others are refused, also those of later versions: they can have the statements and
 * settings of others, wait, write, or reach files.
 */
const allowedOfPostgres: ReadonlySet<string> = new Set(
  words(`
    pg_catalog pg_temp pg_default pg_c_utf8 pg_unicode_fast pg_lsn pg_snapshot pg_node_tree pg_ndistinct pg_dependencies
    pg_mcv_list

    pg_aggregate pg_am pg_amop pg_amproc pg_attrdef pg_attribute pg_auth_members pg_available_extension_versions
    pg_available_extensions pg_cast pg_class pg_collation pg_constraint pg_conversion pg_database pg_default_acl pg_depend
    pg_description pg_enum pg_event_trigger pg_extension pg_foreign_data_wrapper pg_group pg_index pg_indexes pg_inherits
    pg_init_privs pg_language pg_matviews pg_namespace pg_opclass pg_operator pg_opfamily pg_partitioned_table pg_policies
    pg_policy pg_proc pg_publication pg_publication_namespace pg_publication_rel pg_publication_tables pg_range pg_rewrite
    pg_rules pg_sequence pg_sequences pg_shdepend pg_shdescription pg_statistic_ext pg_stats pg_stats_ext
    pg_stats_ext_exprs pg_tables pg_tablespace pg_timezone_abbrevs pg_timezone_names pg_transform pg_trigger pg_ts_config
    pg_ts_config_map pg_ts_dict pg_ts_parser pg_ts_template pg_type pg_views

    pg_backend_pid pg_basetype pg_char_to_encoding pg_client_encoding pg_collation_actual_version pg_collation_for
    pg_collation_is_visible pg_column_compression pg_column_is_updatable pg_column_size pg_column_toast_chunk_id
    pg_conversion_is_visible pg_current_snapshot pg_current_xact_id_if_assigned pg_database_size pg_describe_object
    pg_encoding_to_char pg_function_is_visible pg_get_acl pg_get_constraintdef pg_get_expr pg_get_function_arg_default
    pg_get_function_arguments pg_get_function_identity_arguments pg_get_function_result pg_get_function_sqlbody
    pg_get_functiondef pg_get_indexdef pg_get_keywords pg_get_object_address pg_get_partition_constraintdef
    pg_get_partkeydef pg_get_replica_identity_index pg_get_ruledef pg_get_serial_sequence pg_get_statisticsobjdef
    pg_get_statisticsobjdef_columns pg_get_statisticsobjdef_expressions pg_get_triggerdef pg_get_userbyid pg_get_viewdef
    pg_has_role pg_identify_object pg_identify_object_as_address pg_index_column_has_property pg_index_has_property
    pg_indexam_has_property pg_indexes_size pg_input_error_info pg_input_is_valid pg_is_in_recovery
    pg_is_other_temp_schema pg_my_temp_schema pg_opclass_is_visible pg_operator_is_visible pg_opfamily_is_visible
    pg_options_to_table pg_partition_ancestors pg_partition_root pg_partition_tree pg_postmaster_start_time
    pg_relation_filenode pg_relation_is_publishable pg_relation_is_updatable pg_relation_size pg_sequence_parameters
    pg_size_bytes pg_size_pretty pg_snapshot_xip pg_snapshot_xmax pg_snapshot_xmin pg_statistics_obj_is_visible
    pg_table_is_visible pg_table_size pg_tablespace_size pg_total_relation_size pg_trigger_depth pg_ts_config_is_visible
    pg_ts_dict_is_visible pg_ts_parser_is_visible pg_ts_template_is_visible pg_type_is_visible pg_typeof
    pg_visible_in_snapshot pg_wal_lsn_diff
  `),
);

/** Names of PostgreSQL and of the extensions that come with it, which do not begin with `pg_`. */
const refusedNames: ReadonlySet<string> = new Set(
  words(`
    lo_close lo_creat lo_create lo_export lo_from_bytea lo_get lo_import lo_lseek lo_lseek64 lo_open lo_put lo_tell
    lo_tell64 lo_truncate lo_truncate64 lo_unlink loread lowrite

    set_config current_setting nextval setval txid_current
    inet_client_addr inet_client_port inet_server_addr inet_server_port
    brin_summarize_new_values brin_summarize_range brin_desummarize_range gin_clean_pending_list
    ts_stat ts_rewrite

    foreign_data_wrapper_options foreign_server_options foreign_table_options user_mapping_options
    _pg_foreign_data_wrappers _pg_foreign_servers _pg_foreign_table_columns _pg_foreign_tables _pg_user_mappings

    connectby xpath_table xslt_process
    file_fdw_handler file_fdw_validator
    set_limit show_limit isn_weak uuid_generate_v1
    autoprewarm_dump_now autoprewarm_start_worker
    heap_force_freeze heap_force_kill
    bt_index_check bt_index_parent_check gin_index_check verify_heapam pgrowlocks
    pgstattuple pgstattuple_approx pgstatindex pgstatginindex pgstathashindex
    get_raw_page fsm_page_contents page_checksum page_header tuple_data_split
    brin_metapage_info brin_page_items brin_page_type brin_revmap_data
    bt_metap bt_multi_page_stats bt_page_items bt_page_stats
    gin_leafpage_items gin_metapage_info gin_page_opaque_info
    gist_page_items gist_page_items_bytea gist_page_opaque_info
    hash_bitmap_info hash_metapage_info hash_page_items hash_page_stats hash_page_type
    heap_page_item_attrs heap_page_items heap_tuple_infomask_flags
    ssl_cipher ssl_client_cert_present ssl_client_dn ssl_client_dn_field ssl_client_serial ssl_extension_info ssl_is_used
    ssl_issuer_dn ssl_issuer_field ssl_version
  `),
);

/** Functions that reach other servers, or execute SQL from a text. */
const refusedForms =
  /^(?:dblink\w*|postgres_fdw_\w+|crosstab\w*|binary_upgrade_\w+|(?:query|table|cursor|schema|database)_to_xml\w*)$/;

/** Longest name that PostgreSQL does not shorten. */
const maxLength = 63;

/** Returns true for the name of a function or view that does more than read the data and the schema of the database. */
export function isRefusedName(written: string): boolean {
  const name = written.toLowerCase();
  if (name.startsWith("pg_")) return !allowedOfPostgres.has(name);
  return name.length <= maxLength && (refusedNames.has(name) || refusedForms.test(name));
}
