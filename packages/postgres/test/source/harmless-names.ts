/**
 * Functions of PostgreSQL and of the extensions that come with it that are not immutable, whose names do not begin with
 * `pg_`, and that do no more than read the data, the schema, the clock and a source of random values. A reviewer has read
 * what each of them does.
 */
export const harmlessFunctions: ReadonlySet<string> = new Set(
  `
    _pg_index_position aclexplode age amvalidate array_sample array_shuffle array_to_json array_to_string
    clock_timestamp col_description concat concat_ws convert convert_from convert_to current_database current_query
    current_schema current_schemas current_user currtid2 currval date date_add date_cmp_timestamptz date_part
    date_subtract date_trunc enum_first enum_in enum_last enum_out enum_range enum_send extract fips_mode
    fmgr_c_validator fmgr_internal_validator fmgr_sql_validator format format_type gen_random_bytes gen_random_uuid
    gen_salt generate_series get_current_ts_config getdatabaseencoding getpgusername has_any_column_privilege
    has_column_privilege has_database_privilege has_foreign_data_wrapper_privilege has_function_privilege
    has_language_privilege has_largeobject_privilege has_parameter_privilege has_schema_privilege
    has_sequence_privilege has_server_privilege has_table_privilege has_tablespace_privilege has_type_privilege
    in_range json_agg json_agg_strict json_build_array json_build_object json_object_agg json_object_agg_strict
    json_object_agg_unique json_object_agg_unique_strict json_populate_record json_populate_recordset json_to_record
    json_to_recordset json_to_tsvector jsonb_agg jsonb_agg_strict jsonb_build_array jsonb_build_object
    jsonb_path_exists_tz jsonb_path_match_tz jsonb_path_query_array_tz jsonb_path_query_first_tz jsonb_path_query_tz
    jsonb_populate_record jsonb_populate_record_valid jsonb_populate_recordset jsonb_to_record jsonb_to_recordset
    jsonb_to_tsvector lastval length make_timestamptz money mxid_age normal_rand now numeric obj_description
    oidvectortypes overlaps pgp_pub_encrypt pgp_pub_encrypt_bytea pgp_sym_encrypt pgp_sym_encrypt_bytea
    phraseto_tsquery plainto_tsquery plpgsql_call_handler plpgsql_validator pltcl_call_handler pltclu_call_handler
    quote_literal quote_nullable random random_normal regclass row_security_active row_to_json session_user setseed
    shobj_description statement_timestamp system_user time timeofday timestamp timestamp_cmp_timestamptz timestamptz
    timestamptz_cmp_date timestamptz_cmp_timestamp timetz timezone to_char to_date to_json to_jsonb to_number
    to_regclass to_regcollation to_regnamespace to_regoper to_regoperator to_regproc to_regprocedure to_regrole
    to_regtype to_regtypemod to_timestamp to_tsquery to_tsvector transaction_timestamp ts_debug ts_headline ts_parse
    ts_token_type txid_current_if_assigned txid_current_snapshot txid_status unaccent 
    uuid_generate_v1mc uuid_generate_v4 uuidv4 uuidv7 version websearch_to_tsquery xml xml_is_well_formed xml_valid  `
    .trim()
    .split(/\s+/),
);

/** Views of `information_schema`, which show the objects that the role may use. */
export const harmlessViews: ReadonlySet<string> = new Set(
  `
    administrable_role_authorizations applicable_roles attributes character_sets check_constraint_routine_usage
    check_constraints collation_character_set_applicability collations column_column_usage column_domain_usage
    column_options column_privileges column_udt_usage columns constraint_column_usage constraint_table_usage
    data_type_privileges domain_constraints domain_udt_usage domains element_types enabled_roles foreign_data_wrappers
    foreign_servers foreign_tables information_schema_catalog_name key_column_usage parameters referential_constraints
    role_column_grants role_routine_grants role_table_grants role_udt_grants role_usage_grants routine_column_usage
    routine_privileges routine_routine_usage routine_sequence_usage routine_table_usage routines schemata sequences
    sql_features sql_implementation_info sql_parts sql_sizing table_constraints table_privileges tables transforms
    triggered_update_columns triggers udt_privileges usage_privileges user_defined_types user_mappings
    view_column_usage view_routine_usage view_table_usage views
  `
    .trim()
    .split(/\s+/),
);
